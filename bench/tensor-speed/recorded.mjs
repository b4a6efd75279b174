/** What `work` launches as one launch. It is called once before, so that its kernels are compiled. */
export function recorded(torch, work) {
  torch.tidy(() => void work());
  const graph = new torch.cuda.CUDAGraph();
  const result = torch.cuda.graph(graph, work);
  return { result, launch: () => graph.replay(), close: () => graph.reset() };
}
