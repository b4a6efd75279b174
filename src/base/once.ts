/** Work that is done once for all who ask for it. */

/** The same promise for all calls. A failure is not kept: the next call tries again. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => {
    if (made !== null) return made;
    const own = make();
    made = own;
    own.catch(() => {
      if (made === own) made = null;
    });
    return own;
  };
}
