import { existsSync, readFileSync } from 'node:fs';

/**
 * Returns what programs must be made for to run on this machine: `<platform>-<architecture>` as Node names them. It ends
 * in `-musl` on a Linux without the usual C library, and in `-baseline` where the processor lacks AVX2.
 */
export function currentPlatform(): string {
	const { platform, arch } = process;
	const base = `${platform}-${arch}`;
	if (base !== 'linux-x64') {
		return base;
	}
	if (!existsSync('/lib64/ld-linux-x86-64.so.2')) {
		return `${base}-musl`;
	}
	return hasAvx2() ? base : `${base}-baseline`;
}

function hasAvx2(): boolean {
	try {
		return /^flags\s*:.*\bavx2\b/m.test(readFileSync('/proc/cpuinfo', 'utf8'));
	} catch {
		return true;
	}
}
