// Stands for uv, which no package registry of npm has: a program that is called as uv is, and makes an environment as uv
// does, of a Python of this machine and a small server.
import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import path from 'node:path';
import type { TestFolder } from '../unit/agents/useFolder.ts';

/** Says where it runs. It needs a module of its environment, which only the environment's own Python finds. */
const SERVER = `
import json, os, sys
for line in sys.stdin:
    asked = json.loads(line)
    if 'id' not in asked:
        continue
    try:
        open(__file__, 'a').close()
        changed = True
    except OSError:
        changed = False
    said = {'environment': sys.prefix, 'arguments': sys.argv[1:], 'isChanged': changed, 'files': os.listdir('.')}
    print(json.dumps({'jsonrpc': '2.0', 'id': asked['id'], 'result': said}), flush=True)
`;

/** What uv has written in such cases, in its own words and lines. */
const FAILURES = {
	absent: [
		'  × No solution found when resolving dependencies:',
		'  ╰─▶ Because absent was not found in the package',
		'      registry and you require absent, we can conclude that your requirements are unsatisfiable.',
	],
	source: [
		'  × No solution found when resolving dependencies:',
		'  ╰─▶ Because source==1.0 has no usable wheels and you require source, we can conclude that your',
		'      requirements are unsatisfiable.',
		'',
		'      hint: Wheels are required for `source` because building from source is disabled for all packages (i.e., with',
		'      `--no-build`)',
	],
	newer: [
		'  × No solution found when resolving dependencies:',
		'  ╰─▶ Because there is no version of newer==9 and you require newer==9',
	],
	python: ['error: No interpreter found for Python >=3.99 in managed installations or search path'],
	offline: ['error: Failed to fetch: `https://user:password@index.invalid/simple/offline/`', '  Caused by: dns error'],
	platform: [
		'  × No solution found when resolving dependencies:',
		'  ╰─▶ Because only platform==1.0 is available and platform==1.0 has no wheels with',
		'      a matching platform tag, we can conclude that it cannot be used.',
		'',
		'      hint: Wheels are available for `platform` (v1.0) on the following platform: `win32`',
	],
	weird: ['error: no way to https://user:password@index.invalid/x'],
};

/**
 * Writes the program as `bin/uv` into a folder. What it was called with is in `called`, one word or variable a line. The
 * Python is reached by a link, as uv names a version. Returns undefined if this machine has no Python.
 */
export async function writeUv(folder: TestFolder): Promise<string | undefined> {
	let python: string[];
	try {
		const asked = 'import sys; print(sys.base_prefix, "python%d.%d" % sys.version_info[:2])';
		python = execFileSync('python3', ['-c', asked], { encoding: 'utf8' }).trim().split(' ');
	} catch {
		return undefined;
	}
	const [prefix = '', version = ''] = python;
	const link = folder.at('python-by-its-version');
	symlinkSync(prefix, link);
	const cases = Object.entries(FAILURES).map(
		([name, lines]) => `${name}) printf '%s\\n' ${lines.map(line => `'${line}'`).join(' ')} >&2; exit 1;;`,
	);
	const text = `#!/bin/sh
{ printf '%s\\n' "$@"; env; } > '${folder.at('called')}'
name="\${3%%[=<>~\\[]*}"
case "$name" in ${cases.join('\n')} esac
own="$UV_TOOL_DIR/$name"
mkdir -p "$own/bin" "$own/lib/${version}/site-packages" "$UV_TOOL_BIN_DIR"
ln -s '${link}/bin/python3' "$own/bin/python"
printf 'home = ${link}/bin\\nuv = 0.9.0\\n' > "$own/pyvenv.cfg"
cat > "$own/lib/${version}/site-packages/module_of_server.py" <<'END'${SERVER}END
printf '#!%s\\nimport module_of_server\\n' "$own/bin/python" > "$own/bin/$name"
chmod +x "$own/bin/$name"
ln -s "$own/bin/$name" "$UV_TOOL_BIN_DIR/$name"
`;
	return path.dirname(await folder.program('bin/uv', text));
}
