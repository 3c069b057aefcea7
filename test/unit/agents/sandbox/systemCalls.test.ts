import assert from 'node:assert/strict';
import { answer, assemble, load, whenAtLeast, whenEqual } from '../../../../src/agents/sandbox/bpf.ts';
import { systemCallFilter } from '../../../../src/agents/sandbox/systemCalls.ts';

const ALLOW = 0x7fff_0000;
const END_PROCESS = 0x8000_0000;
const failWith = (error: number) => 0x0005_0000 + error;
const [EPERM, ENOSYS, EAFNOSUPPORT] = [1, 38, 97].map(failWith);

interface Call {
	number: number;
	architecture: number;
	args?: bigint[];
}

/** Runs a program as the kernel does, on what it is told about a call, and refuses what the kernel would refuse. */
function run(program: Buffer, { number, architecture, args = [] }: Call): number {
	const data = Buffer.alloc(64);
	data.writeInt32LE(number | 0, 0);
	data.writeUInt32LE(architecture, 4);
	for (const [index, arg] of args.entries()) {
		data.writeBigUInt64LE(arg, 16 + 8 * index);
	}
	let word = 0;
	for (let at = 0; at < program.length; ) {
		const [ifTrue, ifFalse] = [program.readUInt8(at + 2), program.readUInt8(at + 3)];
		const value = program.readUInt32LE(at + 4);
		const code = program.readUInt16LE(at);
		at += 8;
		switch (code) {
			case 0x20:
				assert.ok(value % 4 === 0 && value <= 60, `a load from ${value}`);
				word = data.readUInt32LE(value);
				break;
			case 0x15:
				at += 8 * (word === value ? ifTrue : ifFalse);
				break;
			case 0x35:
				at += 8 * (word >= value ? ifTrue : ifFalse);
				break;
			case 0x06:
				return value;
			default:
				assert.fail(`an instruction that the kernel does not know: ${code}`);
		}
	}
	return assert.fail('the program has no end');
}

describe('the assembler of system call filters', () => {
	it('writes eight bytes for each instruction: code, two distances, value', () => {
		const bytes = assemble(load(4), whenEqual(0x0102_0304, answer(5)), whenAtLeast(6, answer(7), answer(8)), answer(9));
		assert.equal(
			bytes.toString('hex').replace(/.{16}/g, '$& ').trim(),
			[
				'2000000004000000',
				'1500000104030201',
				'0600000005000000',
				'3500000206000000',
				'0600000007000000',
				'0600000008000000',
				'0600000009000000',
			].join(' '),
		);
	});

	it('refuses a jump that one byte cannot hold', () => {
		const far = (count: number) => whenEqual(1, ...Array.from({ length: count }, () => answer(1)));
		assert.equal(assemble(far(255)).length, 256 * 8);
		assert.throws(() => far(256), RangeError);
	});
});

describe('the filter of system calls', () => {
	for (const { name, id, other, refused, allowed, sockets, shmget, ioctl } of [
		{
			name: 'x64',
			id: 0xc000_003e,
			other: 0x4000_0003,
			refused: {
				248: ENOSYS,
				250: ENOSYS,
				321: ENOSYS,
				319: ENOSYS,
				64: ENOSYS,
				68: ENOSYS,
				425: ENOSYS,
				103: EPERM,
				175: EPERM,
			},
			// The calls read, clone, getrandom, rseq and clone3.
			allowed: [0, 56, 318, 334, 435],
			sockets: [41, 53],
			shmget: 29,
			ioctl: 16,
		},
		{
			name: 'arm64',
			id: 0xc000_00b7,
			other: undefined,
			refused: {
				217: ENOSYS,
				219: ENOSYS,
				280: ENOSYS,
				279: ENOSYS,
				190: ENOSYS,
				186: ENOSYS,
				425: ENOSYS,
				116: EPERM,
				105: EPERM,
			},
			allowed: [63, 220, 278, 293, 435],
			sockets: [198, 199],
			shmget: 194,
			ioctl: 29,
		},
	]) {
		describe(`of ${name}`, () => {
			const program = systemCallFilter(name) ?? assert.fail();
			const call = (number: number, ...args: bigint[]) => run(program, { number, architecture: id, args });

			it('is small enough for the kernel', () => {
				assert.ok(program.length / 8 <= 4_096);
			});

			it('lets through what is not named', () => {
				for (const number of allowed) {
					assert.equal(call(number), ALLOW, `${number}`);
				}
			});

			it('refuses what is named', () => {
				for (const [number, error] of Object.entries(refused)) {
					assert.equal(call(Number(number)), error, number);
				}
			});

			it('lets through sockets of four families alone, by the lower half of the argument', () => {
				for (const number of sockets) {
					for (let family = 0n; family < 64n; family += 1n) {
						const expected = [1n, 2n, 10n, 16n].includes(family) ? ALLOW : EAFNOSUPPORT;
						assert.equal(call(number, family), expected, `family ${family}`);
						assert.equal(call(number, family + (7n << 32n)), expected, `family ${family} and more`);
					}
				}
			});

			it('lets through shared memory of one page, by both halves of its size', () => {
				for (const bytes of [0n, 56n, 4_096n]) {
					assert.equal(call(shmget, 0n, bytes), ALLOW, `${bytes}`);
				}
				for (const bytes of [4_097n, 500_000_000n, 1n << 32n, (1n << 32n) + 56n, (1n << 63n) + 1n]) {
					assert.equal(call(shmget, 0n, bytes), ENOSYS, `${bytes}`);
				}
			});

			it('refuses to write into a terminal, by the lower half of the argument', () => {
				for (const request of [0x5412n, 0x541cn]) {
					assert.equal(call(ioctl, 0n, request), EPERM);
					assert.equal(call(ioctl, 0n, request + (1n << 32n)), EPERM);
				}
				// TCGETS, TIOCGWINSZ and FIONREAD, and the number of a refused one as the descriptor.
				for (const request of [0x5401n, 0x5413n, 0x541bn]) {
					assert.equal(call(ioctl, 0x5412n, request), ALLOW);
				}
			});

			it('ends programs of another architecture, and knows no other interface', () => {
				for (const architecture of [0x4000_0003, 0x4000_0028, 0xc000_003e, 0xc000_00b7].filter(one => one !== id)) {
					assert.equal(run(program, { number: 0, architecture }), END_PROCESS);
				}
				if (other !== undefined) {
					assert.equal(call(other), ENOSYS);
					assert.equal(call(-1), ENOSYS);
				}
			});
		});
	}

	it('is there for no other architecture', () => {
		for (const name of ['arm', 'ia32', 'riscv64', 'ppc64', 's390x', '', 'toString']) {
			assert.equal(systemCallFilter(name), undefined, name);
		}
	});
});
