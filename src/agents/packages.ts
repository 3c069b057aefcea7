// The packages of the agents that Errand installs, pinned by the hashes that the public registry gives for them. The list of
// an agent is complete: npm installs nothing that is not in it.
import type { AgentInstallation, PinnedPackage } from './entry.ts';

/**
 * A row has the folder below `node_modules`, the version, the SHA-512 in base64, and the folders of the packages that
 * it requires.
 */
type Row = readonly [folder: string, version: string, hash: string, ...requires: string[]];

function pinned([folder, version, hash, ...requires]: Row): PinnedPackage {
	return { name: folder, folder, version, integrity: `sha512-${hash}`, requires };
}

/** A package of opencode for a platform contains nothing but the program. */
function opencode(platform: string, hash: string): AgentInstallation {
	const name = `opencode-${platform}`;
	return {
		packages: [pinned([name, '1.18.33', hash])],
		programs: { opencode: `${name}/bin/opencode` },
		downloadMegabytes: 58,
		diskMegabytes: 177,
	};
}

export const opencodeInstallations: Readonly<Record<string, AgentInstallation>> = {
	'linux-x64': opencode(
		'linux-x64',
		'q/t/3p2CTxOT9y2kvjesb/LZab2+1eqlhhWA02Be6mjTtmYtNBcBsrI5yDo4Fw7ZSPBW2oyMIGMNRqiKQjiAWw==',
	),
	'linux-x64-baseline': opencode(
		'linux-x64-baseline',
		'1KQGBiiDDeL/VHHbHkOvvFo8Jr97WT5+C1tear+p7IcDTnXgVHXqIjU4O4jM4mHQzykTP2i884FCnW5LDa+zCA==',
	),
};

/** Qwen Code needs none of the packages that it asks for: they are optional. It runs with Node 22 or newer. */
const QWEN: AgentInstallation = {
	packages: [
		pinned([
			'@qwen-code/qwen-code',
			'0.24.4',
			'pmexy/Nj+BKd3Un1ogqGQE8V4GJn5B6N9PQOrU1GH+lMR29kn6Bgf6YdbZa8hNIoTmAKT1LTPK+P8TibZRPPVg==',
		]),
	],
	programs: { qwen: '@qwen-code/qwen-code/cli-entry.js' },
	downloadMegabytes: 33,
	diskMegabytes: 123,
};

/** The platforms on which a script can be started as a program. */
const WITH_SCRIPTS = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64'];

export const qwenInstallations: Readonly<Record<string, AgentInstallation>> = Object.fromEntries(
	WITH_SCRIPTS.map(platform => [platform, QWEN]),
);

const CODEX_ADAPTER = pinned([
	'@agentclientprotocol/codex-acp',
	'2.6.0',
	'/PBsd0H6URy4bhXhAeXqwb7RqctbXfNceRihAh6nDmn5HJ873uzoHvHxF45YmeWfgOKKRrNRLZjYsket2a7EsQ==',
	'@agentclientprotocol/sdk',
	'@openai/codex',
	'cross-spawn',
	'diff',
	'open',
	'vscode-jsonrpc',
	'zod',
]);
const CODEX_LIBRARIES: readonly Row[] = [
	[
		'@agentclientprotocol/sdk',
		'2.4.0',
		'7qJ8nnyj7WesC5ve185ioTpB2/svQoeGV4HA4nLEhgDUrcmBe54/08VcXc/oL4p14tDbxxECZzdYmUYQ+4l+Wg==',
	],
	[
		'@openai/codex',
		'0.166.0',
		'2Szlp1l1cz5TX1ccpX4Zok3DZrot9xeZe0km+6/1v8JmqxADwyJxKBJah4dBymkwtS25j/u6dipJusTOI97Z8Q==',
	],
	[
		'bundle-name',
		'4.1.1',
		'DdH81/zPLVS11EUgWq3tEu/xn+EzljlMYooDNdzWEnFha3R3NBMpMV1UqYIpjYHV/SgpFKMIX1Oh7o06SjM/oA==',
		'run-applescript',
	],
	[
		'cross-spawn',
		'7.0.6',
		'uV2QOWP2nWzsy2aMp8aRibhi9dlzF5Hgh5SHaB9OiTGEyDTiJJyx0uy51QXdyWbtAHNua4XJzUKca3OzKUd3vA==',
		'path-key',
		'shebang-command',
		'which',
	],
	[
		'default-browser',
		'5.5.1',
		'm1pAzaJgZ/gssEqlOhJkPJp8Xly7QyW6xcrkUa2KKcDeDSEMP7X8xipU3snUcfisTQx0w1AGae+9UtJSfVnXGw==',
		'bundle-name',
		'default-browser-id',
	],
	[
		'default-browser-id',
		'5.0.1',
		'x1VCxdX4t+8wVfd1so/9w+vQ4vx7lKd2Qp5tDRutErwmR85OgmfX7RlLRMWafRMY7hbEiXIbudNrjOAPa/hL8Q==',
	],
	[
		'define-lazy-prop',
		'3.0.0',
		'N+MeXYoqr3pOgn8xfyRPREN7gHakLYjhsHhWGT3fWAiL4IkAt0iDw14QiiEm2bE30c5XX5q0FtAA3CK5f9/BUg==',
	],
	['diff', '9.0.0', 'svtcdpS8CgJyqAjEQIXdb3OjhFVVYjzGAPO8WGCmRbrml64SPw/jJD4GoE98aR7r25A0XcgrK3F02yw9R/vhQw=='],
	['is-docker', '3.0.0', 'eljcgEDlEns/7AXFosB5K/2nCM4P7FQPkGc/DWLy5rmFEWvZayGrik1d9/QIY5nJ4f9YsVvBkA6kJpHn9rISdQ=='],
	['is-in-ssh', '1.0.0', 'jYa6Q9rH90kR1vKB6NM7qqd1mge3Fx4Dhw5TVlK1MUBqhEOuCagrEHMevNuCcbECmXZ0ThXkRm+Ymr51HwEPAw=='],
	[
		'is-inside-container',
		'1.0.0',
		'KIYLCCJghfHZxqjYBE7rEy0OBuTd5xCHS7tHVgvCLkx7StIoaxwNW3hCALgEUjFfeRk+MG/Qxmp/vtETEF3tRA==',
		'is-docker',
	],
	[
		'is-wsl',
		'3.1.1',
		'e6rvdUCiQCAuumZslxRJWR/Doq4VpPR82kqclvcS0efgt430SlGIk05vdCN58+VrzgtIcfNODjozVielycD4Sw==',
		'is-inside-container',
	],
	['isexe', '2.0.0', 'RHxMLp9lnKHGHRng9QFhRCMbYAcVpn69smSGcq3f36xjgVVWThj4qqLbTLlq7Ssj8B+fIQ1EuCEGI2lKsyQeIw=='],
	[
		'open',
		'11.0.4',
		'++Zlftm0kVLPmzC06t6epuWmcRMDbI4z5P3NNX979WA/k23+NtSOynEGzsVfZwguKw2mi5umVgnBlJQMwRz4Pg==',
		'default-browser',
		'define-lazy-prop',
		'is-in-ssh',
		'is-inside-container',
		'powershell-utils',
		'wsl-utils',
	],
	['path-key', '3.1.1', 'ojmeN0qd+y0jszEtoY48r0Peq5dwMEkIlCOu6Q5f41lfkswXuKtYrhgoTpLnyIcHm24Uhqx+5Tqm2InSwLhE6Q=='],
	[
		'powershell-utils',
		'0.2.1',
		'C+y9x90UElAddDZmV4qOx9W53B61PO7cIqWz2dQsWlwswuq4mr8NEwytdGKboYbQlGZ3awrkTeNvcZiZNHnQ8A==',
	],
	[
		'run-applescript',
		'7.1.0',
		'DPe5pVFaAsinSaV6QjQ6gdiedWDcRCbUuiQfQa2wmWV7+xC9bGulGI8+TdRmoFkAPaBXk8CrAbnlY2ISniJ47Q==',
	],
	[
		'shebang-command',
		'2.0.0',
		'kHxr2zZpYtdmrN1qDjrrX/Z1rR1kG8Dx+gkpK1G4eXmvXswmcE1hTWBWYUzlraYw1/yZp6YuDY77YtvbN0dmDA==',
		'shebang-regex',
	],
	[
		'shebang-regex',
		'3.0.0',
		'7++dFhtcx3353uBaq8DDR4NuxBetBzC7ZQOhmTQInHEd6bSrXdiEyzCvG07Z44UYdLShWUyXt5M/yhz8ekcb1A==',
	],
	[
		'vscode-jsonrpc',
		'9.0.3',
		'qETYf9PCl1lVfwR+oBmMfc4vP2nqLNA35ABxorw3j06+xlKRgDVxbLgKm4Y/xPL0YWdeDjLoI4ImICIT3nB0zQ==',
	],
	[
		'which',
		'2.0.2',
		'BLI3Tl1TW3Pvl70l3yq3Y64i+awpwXqsGBYWkkqMtnbXgrMD+yj7rhW0kuEDxzJaYXGjEW5ogapKNMEKNMjibA==',
		'isexe',
	],
	[
		'wsl-utils',
		'1.0.1',
		'c16PKLIRxBYpR3jSWsdS7SFp0COm5SOQdiFjY818dYFHJbMGuLBszpF07LBWmOS1uzrHa9VGdynsEgoeKy0oOQ==',
		'is-wsl',
		'powershell-utils',
	],
	['zod', '4.6.7', 'g8W2D2kU6a8untc053fX1uVBKzM7yqAxW/3zwk83+6RyF2+SKOuV+c0wBDhUwzV1PaGapmZH+rmcUzPf+3CGwg=='],
];
/** The program itself is in another version of a package for each platform. */
const CODEX_PROGRAMS: Readonly<Record<string, string>> = {
	'darwin-arm64': '5fWH6qqUInACcRADIewjlnRxDb4QLe0uriwehiZz0+viuAAB8I+WWefqw4xwHvyKaxeiGX4uK56+vrgfvFk3FQ==',
	'darwin-x64': 'Vj5wXJPizKmrzNtnRNQf9PP6FJkG3iJU/UO3NE4WvkENZGoQfmImdwf4MVRI5NgwjSuC6LT0HbBRHPVVnwGHuw==',
	'linux-arm64': 'w0ScAsBr9aZKtIFrh6HN6KU2yjKKeSCzYfbb7DB0Ccj4BYPzeZtUeQprbycLCwuX3AFQdbdjapmLho2iot74jQ==',
	'linux-x64': 'CxDm3+D1cpbGJeHrdzINoG+3wn9BVncP4qpZaaNYkxe8iPtRJOYyCJnnPoVjWRIBvI9vPKbRoifsMSA5xDaUpw==',
};

function codex(platform: string, hash: string): AgentInstallation {
	const folder = `@openai/codex-${platform}`;
	const program = { ...pinned([folder, `0.166.0-${platform}`, hash]), name: '@openai/codex' };
	const libraries = CODEX_LIBRARIES.map(pinned).map(library =>
		library.name === '@openai/codex' ? { ...library, requires: [folder] } : library,
	);
	return {
		packages: [CODEX_ADAPTER, ...libraries, program],
		programs: { 'codex-acp': '@agentclientprotocol/codex-acp/dist/index.js' },
		downloadMegabytes: 173,
		diskMegabytes: 457,
	};
}

export const codexInstallations: Readonly<Record<string, AgentInstallation>> = Object.fromEntries(
	Object.entries(CODEX_PROGRAMS).map(([platform, hash]) => [platform, codex(platform, hash)]),
);
