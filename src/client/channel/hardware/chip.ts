/** A chip of the GPU maker, by the name in its certificates and tokens. */
export interface MakerChip {
	/** A name such as `GH100` or `LS_10`. */
	name: string;
	isGpu: boolean;
}

const NAME = /^(?:(G[A-Z]\d{2,3}[A-Z]?)|LS_\d{2})(?= |$)/;

/** Reads the chip from a model such as `GH100 A01 GSP BROM`. Returns undefined if the kind of chip is unknown. */
export function chipOf(model: string): MakerChip | undefined {
	const [name, gpu] = NAME.exec(model) ?? [];
	return name === undefined ? undefined : { name, isGpu: gpu !== undefined };
}
