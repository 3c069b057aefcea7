/** The type of an object without its members that are undefined. */
export type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
	[K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/**
 * Returns a copy of an object without its members that are undefined: one that is there and undefined is sent, stored and
 * compared as something else. Members that may be missing are written with it; a condition spreads only what comes as a
 * group.
 */
export function defined<T extends object>(members: T): Defined<T> {
	return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Defined<T>;
}
