/** Sums of products by named dimensions, as torch.einsum: pairs of operands, from the left, become matrix products. */
import { failShape, type Tensor } from "../tensor.ts";
import { binary } from "./elementwise.ts";
import { diagonal } from "./diagonals.ts";
import { expandAs } from "./broadcasting.ts";
import { matmul } from "./matmul.ts";
import { reduce } from "./reductions.ts";
import { permute, reshape } from "./shapes.ts";

/** A tensor whose dimensions have names; the dimensions of "..." are named by numbers from the last one on. */
interface Named {
  readonly tensor: Tensor;
  readonly names: readonly string[];
}

function namesOf(subscript: string, rank: number | null, equation: string): string[] {
  const parts = subscript.split("...");
  if (parts.length > 2 || parts.some((part) => !/^[A-Za-z]*$/.test(part)))
    failShape(`einsum(): invalid subscript given in the equation string "${equation}", subscripts must be in [a-zA-Z]`);
  const [before, after] = [[...(parts[0] as string)], [...(parts[1] ?? "")]];
  if (parts.length === 1) return before;
  const rest = (rank ?? 0) - before.length - after.length;
  return [...before, ...Array.from({ length: Math.max(0, rest) }, (_, i) => `.${rest - i}`), ...after];
}

/** Repeated names become one: the diagonal of their dimensions. */
function withoutRepeats({ tensor, names }: Named): Named {
  for (const [i, name] of names.entries()) {
    const other = names.indexOf(name, i + 1);
    if (other < 0) continue;
    if (tensor.shape[i] !== tensor.shape[other])
      failShape(
        `einsum(): subscript ${name} is repeated for an operand but the sizes don't match, ` +
          `${tensor.shape[other]} != ${tensor.shape[i]}`,
      );
    const rest = names.filter((_, d) => d !== i && d !== other);
    return withoutRepeats({ tensor: diagonal(tensor, 0, i, other), names: [...rest, name] });
  }
  return { tensor, names };
}

/** The dimensions in this order; those that are not there have size 1. */
function arranged({ tensor, names }: Named, order: readonly string[]): Tensor {
  const own = order.filter((name) => names.includes(name));
  const turned = permute(
    tensor,
    own.map((name) => names.indexOf(name)),
  );
  const sizes = order.map((name) => (names.includes(name) ? (tensor.shape[names.indexOf(name)] as number) : 1));
  return reshape(turned, sizes);
}

function sumOver({ tensor, names }: Named, gone: readonly string[]): Named {
  const dims = gone.map((name) => names.indexOf(name)).filter((d) => d >= 0);
  if (dims.length === 0) return { tensor, names };
  return { tensor: reduce("sum", tensor, dims), names: names.filter((name) => !gone.includes(name)) };
}

const product = (sizes: readonly number[]): number => sizes.reduce((all, size) => all * size, 1);

function combined(left: Named, right: Named, kept: ReadonlySet<string>, sizes: ReadonlyMap<string, number>): Named {
  const isOpen = (name: string): boolean => kept.has(name);
  const a = sumOver(
    left,
    left.names.filter((name) => !isOpen(name) && !right.names.includes(name)),
  );
  const b = sumOver(
    right,
    right.names.filter((name) => !isOpen(name) && !left.names.includes(name)),
  );
  const both = a.names.filter((name) => b.names.includes(name));
  const [batch, inner] = [both.filter(isOpen), both.filter((name) => !isOpen(name))];
  const [rows, columns] = [
    a.names.filter((name) => !both.includes(name)),
    b.names.filter((name) => !both.includes(name)),
  ];
  const names = [...batch, ...rows, ...columns];
  if (inner.length === 0) return { tensor: binary("mul", arranged(a, names), arranged(b, names)), names };
  const size = (of: readonly string[]): number[] => of.map((name) => sizes.get(name) as number);
  // A dimension of size 1 is broadcast, also where it is summed over.
  const wide = (of: Named, order: readonly string[]): Tensor => expandAs(arranged(of, order), size(order));
  const x = reshape(wide(a, [...batch, ...rows, ...inner]), [
    product(size(batch)),
    product(size(rows)),
    product(size(inner)),
  ]);
  const y = reshape(wide(b, [...batch, ...inner, ...columns]), [
    product(size(batch)),
    product(size(inner)),
    product(size(columns)),
  ]);
  return { tensor: reshape(matmul(x, y), size(names)), names };
}

export function einsum(equation: string, operands: readonly Tensor[]): Tensor {
  const [inputs = "", output] = equation.replaceAll(/\s/g, "").split("->");
  const subscripts = inputs.split(",");
  if (subscripts.length !== operands.length)
    failShape(
      `einsum(): the number of subscripts in the equation (${subscripts.length}) does not match the number ` +
        `of operands ` +
        `(${operands.length})`,
    );
  const named = operands.map((tensor, i) => {
    const names = namesOf(subscripts[i] as string, tensor.rank, equation);
    if (names.length !== tensor.rank)
      failShape(
        `einsum(): the number of subscripts in the equation (${names.length}) does not match the number of ` +
          `dimensions ` +
          `(${tensor.rank}) for operand ${i} and no ellipsis was given`,
      );
    return withoutRepeats({ tensor, names });
  });
  const sizes = new Map<string, number>();
  for (const { tensor, names } of named)
    for (const [d, name] of names.entries()) {
      const [size, known] = [tensor.shape[d] as number, sizes.get(name) ?? 1];
      if (size !== known && size !== 1 && known !== 1)
        failShape(
          `einsum(): operands do not broadcast with remapped shapes: subscript ${name} has sizes ${known} and ${size}`,
          operands.map(({ shape }) => shape),
        );
      if (size !== 1 || !sizes.has(name)) sizes.set(name, size);
    }
  const dots = [...sizes.keys()]
    .filter((name) => name.startsWith("."))
    .sort((a, b) => Number(b.slice(1)) - Number(a.slice(1)));
  const order = output === undefined ? implicitOutput(subscripts, dots) : explicitOutput(output, dots, equation);
  for (const name of order)
    if (!sizes.has(name))
      failShape(`einsum(): output subscript ${name} does not appear in the equation for any input operand`);
  let [result, ...rest] = named as [Named, ...Named[]];
  for (const [i, next] of rest.entries()) {
    const kept = new Set([...order, ...rest.slice(i + 1).flatMap(({ names }) => names)]);
    result = combined(result, next, kept, sizes);
  }
  result = sumOver(
    result,
    result.names.filter((name) => !order.includes(name)),
  );
  return arranged(result, order);
}

function explicitOutput(output: string, dots: readonly string[], equation: string): string[] {
  const own = namesOf(output.replace("...", ""), null, equation);
  const at = output.indexOf("...");
  if (new Set(own).size !== own.length) failShape(`einsum(): output subscript appears more than once in the output`);
  return at < 0 ? own : [...own.slice(0, at), ...dots, ...own.slice(at)];
}

/** Names that occur once, in alphabetical order. */
function implicitOutput(subscripts: readonly string[], dots: readonly string[]): string[] {
  const letters = [...subscripts.join("").replaceAll(".", "")];
  const once = letters.filter((letter) => letters.indexOf(letter) === letters.lastIndexOf(letter));
  return [...dots, ...once.sort((a, b) => (a < b ? -1 : 1))];
}
