// Plain C, in tiles that stay in the first-level cache: rows of y are written as a whole, and lines of x that were
// fetched for one of them serve the next.
enum { TILE = 32 };
void transpose(const float *restrict x, float *restrict y, int rows, int columns) {
  for (int top = 0; top < rows; top += TILE)
    for (int left = 0; left < columns; left += TILE)
      for (int column = left; column < columns && column < left + TILE; column++)
        for (int row = top; row < rows && row < top + TILE; row++)
          y[(long)column * rows + row] = x[(long)row * columns + column];
}
