// The files that decide what runs or which instructions are obeyed: those of editors, shells, Git, package managers,
// build tools, CI and agents. No list is complete, so anything whose name begins with a dot counts.
import { isFields } from './fields.ts';
import { parseJson } from './json.ts';

/**
 * The reasons why a file decides what runs: it is one of Git's own, hidden, obeyed by builds, a program, or an
 * instruction for agents.
 */
export const DECISIVE_REASONS = ['git', 'hidden', 'build', 'executable', 'instructions'] as const;
export type DecisiveReason = (typeof DECISIVE_REASONS)[number];

export interface FileChange {
	/** The path from the folder that it belongs to. */
	path: string;
	/** The whole texts before and after, where they are known; undefined for a file that does not exist. */
	texts?: readonly [before: string | undefined, after: string | undefined] | undefined;
	/** True if the file is executable before or after the change. */
	isExecutable?: boolean | undefined;
}

/** Names in lower case, without lock files: these fix versions but do not decide what runs. */
const BUILD_NAMES: ReadonlySet<string> = new Set(
	`appveyor.yml azure-pipelines.yml bitbucket-pipelines.yml brewfile bsconfig.json build build.bazel build.boot
	build.rs build.sbt build.xml build.zig bunfig.toml cargo.toml cmakelists.txt cmakepresets.json conftest.py
	containerfile default.nix dockerfile dune-project flake.nix fastfile gemfile gnumakefile gradlew gradlew.bat
	gradle.properties jakefile jenkinsfile justfile lerna.json magefile.go makefile makefile.am mix.exs module.bazel
	mvnw mvnw.cmd nox.py noxfile.py nx.json package.swift pipfile podfile pom.xml procfile project.clj project.json
	pyproject.toml pytest.ini rakefile rebar.config sconstruct setup.cfg setup.py shell.nix sitecustomize.py
	skaffold.yaml snakefile stack.yaml tasks.py tiltfile tox.ini turbo.json usercustomize.py vagrantfile workspace
	workspace.bazel wscript pnpm-workspace.yaml deps.edn earthfile bazel.rc devbox.json mise.toml action.yml action.yaml
	buck build.ninja build.properties build.sc configure configure.ac deno.jsonc dodo.py dune gems.rb global.json
	gradle-wrapper.jar gradle-wrapper.properties guardfile hatch.toml hatch_build.py meson.build mypy.ini nodemon.json
	package.json5 package.yaml phpstan.neon phpunit.xml phpunit.xml.dist pixi.toml premake5.lua
	rust-toolchain rust-toolchain.toml uv.toml wrangler.toml xmake.lua`.split(/\s+/),
);

const BUILD_PATTERNS: readonly RegExp[] = [
	/\.(?:code-workspace|mk|mak|bzl|cmake|gradle|gradle\.kts|gemspec|podspec|(?:cs|fs|vb|vcx|es)?proj|slnx|sbt|rake|just|props|targets|sln|nuspec|pth|nix|service|desktop)$/,
	/\.(?:sh|bash|zsh|fish|ps1|psm1|bat|cmd|command)$/,
	/^(?:gulpfile|gruntfile|karma\.conf|wallaby|protractor\.conf|rollup\.config|dangerfile|package)(?:\.babel)?\.[cm]?[jt]s$/,
	/\.(?:config|conf|setup|workspace)(?:\.[\w-]+)?\.(?:[cm]?[jt]s|json|ya?ml|toml)$/,
	/^(?:lefthook|taskfile|compose|docker-compose|cloudbuild|buildspec|codefresh|pre-commit|mise)(?:[.-][\w-]+)*\.(?:ya?ml|toml|json)$/,
	/^(?:dockerfile|containerfile|jenkinsfile|makefile|gnumakefile|justfile)\.[\w-]+$/,
];

/** Folders whose files are run by git or by a program that manages its hooks. */
const HOOK_FOLDERS: ReadonlySet<string> = new Set(['husky', 'githooks', 'git-hooks']);

const INSTRUCTIONS =
	/^(?:agents|claude|gemini|qwen|codex|copilot|skill|conventions)(?:\.(?:local|override))?\.md$|^copilot-instructions\.md$|\.(?:instructions|prompt|chatmode|agent)\.md$|\.mdc$|^opencode\.jsonc?$/;

/** Manifests, each with the fields that do not decide what runs. */
const MANIFESTS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
	[
		'package.json',
		new Set(
			`name version description keywords author contributors maintainers license homepage repository bugs funding private
			dependencies devDependencies peerDependencies peerDependenciesMeta optionalDependencies bundledDependencies engines
			files main module types typings exports sideEffects publishConfig`.split(/\s+/),
		),
	],
	[
		'composer.json',
		new Set('name description version type keywords homepage license authors require require-dev suggest'.split(' ')),
	],
	['deno.json', new Set(['name', 'version', 'license', 'imports', 'exports', 'exclude'])],
]);

/** Returns why the user must see a change of a file before anything else happens, or undefined for an ordinary file. */
export function decisiveReason({ path, texts, isExecutable }: FileChange): DecisiveReason | undefined {
	if (isGitsOwn(path)) {
		return 'git';
	}
	const names = path.split(/[\\/]/).map(plainName).filter(Boolean);
	if (names.some(name => name.startsWith('.') && name !== '.' && name !== '..')) {
		return 'hidden';
	}
	const name = names.at(-1) ?? '';
	if (INSTRUCTIONS.test(name)) {
		return 'instructions';
	}
	const harmless = MANIFESTS.get(name);
	const isBuild = harmless
		? !(texts && isSameBut(harmless, ...texts))
		: BUILD_NAMES.has(name) ||
			BUILD_PATTERNS.some(pattern => pattern.test(name)) ||
			names.some(part => HOOK_FOLDERS.has(part));
	if (isBuild) {
		return 'build';
	}
	return isExecutable || texts?.[1]?.startsWith('#!') ? 'executable' : undefined;
}

/** Returns whether a part of the path is git's folder, by any name under which a file system finds it. */
export function isGitsOwn(file: string): boolean {
	return file.split(/[\\/]/).some(part => {
		// Windows ignores trailing dots and blanks and whatever follows a colon; macOS ignores zero-width characters.
		const [name = ''] = part.replace(/\p{Cf}/gu, '').split(':');
		return /^(?:\.git|git~\d+)[. ]*$/i.test(name);
	});
}

/** Returns whether two JSON objects differ in these fields only. A missing text counts as an empty object. */
function isSameBut(fields: ReadonlySet<string>, before: string | undefined, after: string | undefined): boolean {
	const [old, next] = [before, after].map(text => othersIn(fields, text));
	return old !== undefined && old === next;
}

function othersIn(fields: ReadonlySet<string>, text: string | undefined): string | undefined {
	const value = text === undefined ? {} : parseJson(text);
	// A fragment may also be an object, but its fields mean something else.
	const isWhole = text === undefined || /"(?:name|scripts|dependencies|require|imports)"/.test(text);
	return isWhole && isFields(value)
		? JSON.stringify(Object.entries(value).filter(([name]) => !fields.has(name)))
		: undefined;
}

/** Some file systems ignore case, invisible characters, anything after a colon, and trailing blanks and full stops. */
function plainName(name: string): string {
	return name
		.replace(/(?<=.):.*$/u, '')
		.normalize('NFKC')
		.replace(/\p{Cf}|\p{Default_Ignorable_Code_Point}/gu, '')
		.replace(/(?<=.)[ .]+$/u, '')
		.toLowerCase();
}
