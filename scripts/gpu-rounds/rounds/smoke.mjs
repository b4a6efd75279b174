// Whether Heddle runs on the machine at all: the first round on every new machine.

/** What the program prints, on any device. */
const EXPECTED = /added 1000 elements, 0 wrong/;

export default {
  row: "one program runs, by Heddle and by nvcc",
  minutes: 0.5,
  async prepare(p) {
    await p.program("vector-add", "examples/vector-add.cu");
    p.source("examples/vector-add.cu");
    p.step("heddle", "program vector-add", { seconds: 60, needs: "any" });
    p.step("nvcc", 'native vector-add vector-add.cu && "$BUILT/vector-add"', { seconds: 90 });
    p.step("devices", "heddle devices --device $DEVICE", { seconds: 30, needs: "any" });
  },
  take({ steps }) {
    const wrong = ["heddle", "nvcc"].flatMap((name) => {
      const step = steps.get(name);
      if (step === undefined) return [`${name} was not run`];
      return step.status === 0 && EXPECTED.test(step.out) ? [] : [`${name} printed ${step.out.trim().slice(0, 200)}`];
    });
    return { wrong };
  },
};
