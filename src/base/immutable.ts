/** A value of which nothing changes in place, however deep. */
export type Immutable<T> = { readonly [K in keyof T]: Immutable<T[K]> };
