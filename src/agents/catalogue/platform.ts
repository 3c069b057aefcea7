import { existsSync, readFileSync } from 'node:fs';
import { attempt } from '../../base/attempt.ts';

/**
 * Returns the platform that programs for this machine are built for: `<platform>-<architecture>` as Node names them. It
 * ends in `-musl` on Linux without glibc, and in `-baseline` if the processor lacks AVX2.
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
	const processor = attempt(() => readFileSync('/proc/cpuinfo', 'utf8'));
	return processor === undefined || /^flags\s*:.*\bavx2\b/m.test(processor) ? base : `${base}-baseline`;
}
