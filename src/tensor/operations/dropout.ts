/** Elements by chance. */
import { withoutTape } from "../autograd/tape.ts";
import { scoped, type Shape, type Tensor } from "../tensor.ts";
import { binary, cast } from "./elementwise.ts";
import { float } from "./operands.ts";
import { generatorsFor } from "./random.ts";

/** 0 with the probability `p`, else 1 / (1 - p): elements of the type and the place of `like`. */
export function dropoutMask(shape: Shape, p: number, like: Tensor): Tensor {
  return withoutTape(() =>
    scoped(() => {
      const numbers = generatorsFor(like.place).rand(
        shape,
        like.dtype === "float64" ? "float64" : "float32",
        like.place,
      );
      const kept = cast(binary("ge", numbers, float(p)), like.dtype);
      return binary("mul", kept, float(1 / (1 - p)));
    }),
  );
}
