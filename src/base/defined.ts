/** The type of an object in which members that may be undefined are optional instead. */
export type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
	[K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/**
 * Returns a copy of an object without its undefined members: a member that is present and undefined is sent, stored and
 * compared differently from a missing one. Use it for optional members; a conditional spread is only for members that
 * come as a group.
 */
export function defined<T extends object>(members: T): Defined<T> {
	return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Defined<T>;
}
