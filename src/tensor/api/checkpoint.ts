/** Recomputation in the backward pass, as torch.utils.checkpoint: less is kept, and more is computed. */
import { HeddleError } from "../../base/diagnostics.ts";
import { leavesOf, type BackwardOptions } from "../autograd/backward.ts";
import { GradientNode, isGradEnabled, needsTape, recordMany, withoutTape, withTape } from "../autograd/tape.ts";
import { autocastDtype, withAutocast, withFreshAutocast } from "../autograd/autocast.ts";
import { full } from "../operations/creation.ts";
import { generatorsFor } from "../operations/random.ts";
import { scoped, Tensor } from "../tensor.ts";
import { grad } from "./tensor-methods.ts";

type Segment<Inputs extends readonly unknown[], Result> = (...inputs: Inputs) => Result;

/**
 * Calls `fn`, and keeps its inputs alone for the gradients: what it computes on its way is computed again in
 * `backward`, with the same random numbers.
 *
 *     const y = torch.checkpoint((x) => block.forward(x), x);
 *
 * @param fn must compute the same each time it is called
 * @returns what `fn` returns: a tensor, or an array of tensors
 * @throws HeddleError "bad-arguments" if it returns anything else
 */
export function checkpoint<Inputs extends readonly unknown[], Result extends Tensor | readonly Tensor[]>(
  fn: Segment<Inputs, Result>,
  ...inputs: Inputs
): Result {
  const tensors = inputs.filter((input): input is Tensor => input instanceof Tensor);
  if (!isGradEnabled()) return fn(...inputs);
  const generators = generatorsFor(tensors[0]?.place ?? null);
  const [random, autocast] = [generators.snapshot(), autocastDtype()];
  const kept = tensors.map((tensor) => tensor.asStrided(tensor.shape, tensor.strides));
  /** On the tape of its own, from leaves in the place of the inputs. */
  const compute = (own: readonly Tensor[]): { results: readonly Tensor[]; value: Result } => {
    let at = 0;
    const value = fn(...(inputs.map((input) => (input instanceof Tensor ? own[at++] : input)) as unknown as Inputs));
    const results: readonly Tensor[] = value instanceof Tensor ? [value] : value;
    if (!Array.isArray(results) || results.some((result) => !(result instanceof Tensor)))
      throw new HeddleError("bad-arguments", "checkpoint takes a function that returns a tensor, or tensors");
    return { results, value };
  };
  const leaves = (): Tensor[] =>
    kept.map((tensor, i) => {
      const leaf = tensor.asStrided(tensor.shape, tensor.strides);
      leaf.isLeafWithGradient = (tensors[i] as Tensor).requiresGradient;
      return leaf;
    });
  let outer: Tensor[] = [];
  let isSingle = true;
  const results = scoped(() => {
    const own = leaves();
    const { results: made, value } = withTape(true, () => withFreshAutocast(() => compute(own)));
    isSingle = value instanceof Tensor;
    // Parameters that `fn` takes from around it have gradients, too.
    outer = leavesOf(made).filter((leaf) => !own.includes(leaf));
    return made.map((result) => result.asStrided(result.shape, result.strides));
  });
  const edges = [...tensors, ...outer];
  if (needsTape(edges)) {
    const node = new GradientNode(
      "CheckpointBackward",
      edges,
      (gradients) => {
        const createGraph = isGradEnabled();
        const own = createGraph ? tensors : leaves();
        const again = (): (Tensor | null)[] => {
          const made = withTape(true, () => compute(own)).results;
          const asked = made.map((result, i) => ({ result, given: gradients[i] ?? null }));
          const some = asked.filter(({ result }) => result.requiresGradient);
          const options: BackwardOptions & { gradOutputs: readonly Tensor[] } = {
            createGraph,
            retainGraph: true,
            gradOutputs: some.map(({ result, given }) => given ?? full(result.shape, 0, result.dtype, result.place)),
          };
          const wanted = [...own, ...outer].filter((tensor) => tensor.requiresGradient);
          const found = grad(
            some.map(({ result }) => result),
            wanted,
            options,
          );
          return [...own, ...outer].map((tensor) => found[wanted.indexOf(tensor)] ?? null);
        };
        return withAutocast(autocast, () => generators.from(random, again));
      },
      { saves: [...kept, ...(needsTape(tensors) ? tensors : [])], results: results.length },
    );
    withoutTape(() => {
      recordMany(node, results);
    });
  }
  return (isSingle ? results[0] : results) as Result;
}
