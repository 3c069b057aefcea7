// An assembler for the classic BPF of the kernel's system call filters (seccomp). It has only the four instructions
// that such a filter needs: load a word, two comparisons with a constant, and return an answer.

/** One instruction, or a few that belong together. */
export type Program = readonly Instruction[];

interface Instruction {
	code: number;
	/** The number of instructions to skip if a comparison does not hold. */
	ifFalse: number;
	value: number;
}

const LOAD_WORD = 0x20;
const JUMP_IF_EQUAL = 0x15;
const JUMP_IF_AT_LEAST = 0x35;
const ANSWER = 0x06;

const INSTRUCTION_BYTES = 8;
const FARTHEST_JUMP = 255;

/** Loads the 32 bits at an offset (in bytes) of the kernel's description of the call. Comparisons use this word. */
export function load(offset: number): Program {
	return [instruction(LOAD_WORD, offset)];
}

/** Ends the filter. */
export function answer(value: number): Program {
	return [instruction(ANSWER, value)];
}

/** Executes `then` only if the loaded word equals `value`. Execution continues after it, unless it ends the filter. */
export function whenEqual(value: number, ...then: readonly Program[]): Program {
	return when(JUMP_IF_EQUAL, value, then.flat());
}

/** Executes `then` only if the loaded word is at least `value`, as unsigned numbers. */
export function whenAtLeast(value: number, ...then: readonly Program[]): Program {
	return when(JUMP_IF_AT_LEAST, value, then.flat());
}

/** Returns the bytes of a program in little-endian order. Throws a RangeError if a jump is too far. */
export function assemble(...programs: readonly Program[]): Buffer {
	const instructions = programs.flat();
	const bytes = Buffer.alloc(instructions.length * INSTRUCTION_BYTES);
	for (const [index, { code, ifFalse, value }] of instructions.entries()) {
		const at = index * INSTRUCTION_BYTES;
		bytes.writeUInt16LE(code, at);
		// The byte in between is the number of instructions to skip if a comparison holds, which is always zero.
		bytes.writeUInt8(ifFalse, at + 3);
		bytes.writeUInt32LE(value, at + 4);
	}
	return bytes;
}

function when(code: number, value: number, then: Program): Program {
	if (then.length > FARTHEST_JUMP) {
		throw new RangeError('A jump of a system call filter is too far.');
	}
	return [{ ...instruction(code, value), ifFalse: then.length }, ...then];
}

function instruction(code: number, value: number): Instruction {
	return { code, ifFalse: 0, value };
}
