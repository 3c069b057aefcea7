/** An object whose members may be undefined, as one that leaves those out. */
export type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
	[K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** The members that are not undefined: a member that is there and undefined is sent, stored and compared as something else. */
export function defined<T extends object>(members: T): Defined<T> {
	return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Defined<T>;
}
