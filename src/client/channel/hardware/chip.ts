/** A chip of the GPU maker, by the name that its certificates and tokens give it. */
export interface Chip {
	/** Such as `GH100` or `LS_10`. */
	name: string;
	isGpu: boolean;
}

const NAME = /^(?:(G[A-Z]\d{2,3}[A-Z]?)|LS_\d{2})(?= |$)/;

/** Of a model such as `GH100 A01 GSP BROM`, which begins with the chip. Undefined for one of no known kind. */
export function chipOf(model: string): Chip | undefined {
	const [name, gpu] = NAME.exec(model) ?? [];
	return name === undefined ? undefined : { name, isGpu: gpu !== undefined };
}
