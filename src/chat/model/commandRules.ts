// Rules for commands: what one yes to a command allows beyond exactly that command. A shell's language is too rich to
// be understood here, so anything other than plain words matches no rule at all.
import path from 'node:path';
import { decisiveReason } from '../../base/decisiveFiles.ts';

/** The words of one simple command, without quotes. */
export type Words = readonly string[];

/** The operators between simple commands. A lone `&` is not among them: it would let a command go on unseen. */
const SEPARATOR = /^(?:&&|\|\||[;|\n])/;

/** The redirections that write no file. */
const HARMLESS_REDIRECTION = /^(?:2>&1|[12]?>\s*\/dev\/null)(?=\s|$|[;|&])/;

/** Characters that mean the same to every shell anywhere outside quotes, and those of patterns. */
const PLAIN = /^[\w@%+=:,./*?\p{L}\p{N}-]$/u;

/** A pattern that may match an option, another option than it seems, or a place outside the folder. */
const LOOSE_PATTERN = /^[*?]|^-[^=]*[*?]|(?:^|\/)\.[^/]+[*?]|(?:^|\/)\.[*?]/;

/** Nobody sees in a longer line what else a yes to it would allow. */
const MAXIMUM_LINE = 10_000;

/** Returns the simple commands of a command line in order, or undefined if the line has more than plain words. */
function simpleCommands(line: string): Words[] | undefined {
	if (line.length > MAXIMUM_LINE) {
		return undefined;
	}
	const commands: string[][] = [[]];
	let word: string | undefined;
	let isLoose = false;
	const endWord = () => {
		if (word !== undefined) {
			commands.at(-1)?.push(word);
			word = undefined;
		}
	};
	for (let index = 0; index < line.length; ) {
		const rest = line.slice(index);
		const character = line[index] ?? '';
		const separator = SEPARATOR.exec(rest)?.[0];
		const redirection = word === undefined ? HARMLESS_REDIRECTION.exec(rest)?.[0] : undefined;
		if (character === ' ' || character === '\t') {
			endWord();
			index++;
		} else if (redirection !== undefined) {
			index += redirection.length;
		} else if (separator !== undefined) {
			endWord();
			commands.push([]);
			index += separator.length;
		} else if (character === "'" || character === '"') {
			const end = line.indexOf(character, index + 1);
			const quoted = line.slice(index + 1, end);
			if (end < 0 || (character === '"' && /[$`\\!]/.test(quoted))) {
				return undefined;
			}
			word = `${word ?? ''}${quoted}`;
			index = end + 1;
		} else if (PLAIN.test(character)) {
			word = `${word ?? ''}${character}`;
			isLoose ||= /[*?]/.test(character) && LOOSE_PATTERN.test(word);
			index++;
		} else {
			return undefined;
		}
	}
	endWord();
	const last = commands.at(-1);
	// A line may end with a separator, but none may stand alone.
	const whole = last?.length === 0 && commands.length > 1 ? commands.slice(0, -1) : commands;
	return !isLoose && whole.every(words => words.length > 0 && !isOther(words[0])) ? whole : undefined;
}

/** A variable before a command may change what it runs, and a name with blanks is not the words it looks like. */
const isOther = (word = '') => /^\w+\+?=|\s/.test(word);

/** Programs that create files. The common options do not apply to them. */
const MAKERS = /^(?:mkdir(?: -p)?|touch)$/;

/** The leading words that say what a program does, before the words that a rule leaves open. */
const PREFIXES: readonly RegExp[] = [
	/^(?:npm|pnpm|yarn|bun) (?:test|t|tst)$/,
	/^(?:npm|pnpm|yarn|bun) run (?:test|build|lint|check|compile|format|typecheck|types|unit|e2e)(?:[:-][\w:-]+)?$/,
	/^(?:(?:npx|pnpm exec|yarn) )?(?:tsc|eslint|mocha|jest|vitest|prettier|biome|ava|tap)$/,
	/^(?:python3? -m )?(?:pytest|unittest|ruff check|mypy|flake8|black|isort|pylint)$/,
	/^(?:bundle exec )?(?:rspec|rubocop)$/,
	/^node --(?:test|check)$/,
	/^cargo (?:test|build|check|clippy|fmt|doc)$/,
	/^go (?:test|build|vet|fmt)$/,
	/^(?:make|just) (?:all|build|check|lint|test|fmt|format)$/,
	/^(?:mvn|\.\/mvnw|gradle|\.\/gradlew|dotnet|mix|swift|zig|sbt) (?:test|build|check|compile|verify)$/,
	/^(?:phpunit|phpstan)$/,
	/^git (?:add|stash list)$/,
	MAKERS,
];

/** Programs that only read, with the options of each that do more. Git accepts abbreviated long options. */
const READERS: readonly [program: RegExp, refused?: RegExp][] = [
	[/^(?:ls|cat|head|tail|wc|grep|pwd|echo|stat|du|diff|cmp|basename|dirname|realpath|which|true|cut|tr|nl|jq)$/],
	// `-v` would set a variable, such as the path on which the next program is found.
	[/^printf$/, /^-v/],
	[/^find$/, /^-(?:exec|ok|delete|f(?:print|ls))/],
	[/^sort$/, /^-[a-zA-Z]*[oT]|^--(?:o|c|t)/],
	[/^rg$/, /^--(?:pre|hostname-bin)/],
	[/^tree$/, /^-[a-zA-Z]*[oR]/],
	[/^git (?:status|diff|log|show|ls-files|grep|blame|shortlog|describe|rev-parse)$/, /^--(?:ou|op|ext|textc)|^-\w*O/],
];

/** Options for verbosity and for how much is run, which mean the same in all of these programs. */
const FLAGS =
	/^(?:-[vqsx]|--(?:verbose|quiet|silent|bail|ci|run|runInBand|coverage|no-coverage|noEmit|exit|color|no-color|release|all|watch=false))$/;

/** Programs for which each further word names another goal. */
const GOALS = /^(?:make|just|mvn|\.\/mvnw|gradle|\.\/gradlew|sbt|zig) /;

/** Options whose value selects the tests to run. */
const FILTERS = /^(?:-[gtk]|--(?:grep|testNamePattern|test-name-pattern|filter))$/;

/**
 * The commands that a yes to one command allows: the same prefix with any plain words after it and, beside the common
 * options, only those that this command had.
 */
export interface CommandRule {
	prefix: string;
	/** Each with the following word, which may be its value. */
	options: readonly string[];
}

/** Returns a rule as it is shown. */
export function ruleText({ prefix, options }: CommandRule): string {
	return [prefix, ...options, '…'].join(' ');
}

/**
 * Returns the rule that a yes to this command can create, or undefined if the command can only be allowed as it is. In
 * a line with several commands, those that do more than read must be of one kind. `folder` is the working directory.
 */
export function ruleFor(line: string, folder: string): CommandRule | undefined {
	const rules = simpleCommands(line)
		?.filter(words => !isReader(words, folder))
		.map(ruleOf);
	const [first] = rules ?? [];
	return first !== undefined && rules?.every(rule => rule?.prefix === first.prefix)
		? { prefix: first.prefix, options: [...new Set(rules.flatMap(rule => rule?.options ?? []))] }
		: undefined;
}

/** Returns whether a command only reads, and so does nothing beyond an agent's tools for reading. */
export function isReading(line: string, folder: string): boolean {
	return simpleCommands(line)?.every(words => isReader(words, folder)) === true;
}

/** Returns whether every part of a command only reads or is allowed by one of the rules. */
export function isAllowedBy(rules: readonly CommandRule[], line: string, folder: string): boolean {
	const isAllowed = (words: Words) => {
		const wanted = ruleOf(words);
		return rules.some(
			({ prefix, options }) => prefix === wanted?.prefix && wanted.options.every(option => options.includes(option)),
		);
	};
	return simpleCommands(line)?.every(words => isReader(words, folder) || isAllowed(words)) === true;
}

function ruleOf(words: Words): CommandRule | undefined {
	for (let length = Math.min(4, words.length); length > 0; length--) {
		const prefix = words.slice(0, length).join(' ');
		if (PREFIXES.some(pattern => pattern.test(prefix))) {
			return withOptions(prefix, words.slice(length));
		}
	}
	return undefined;
}

function withOptions(prefix: string, words: Words): CommandRule | undefined {
	const options: string[] = [];
	const isUsual = (word: string) => word === '--' || (!MAKERS.test(prefix) && (FLAGS.test(word) || FILTERS.test(word)));
	for (const [index, word] of words.entries()) {
		const before = words[index - 1] ?? '';
		const next = words[index + 1];
		const isValue = before.startsWith('-') && !isUsual(before);
		if (word.startsWith('-')) {
			if (!isUsual(word)) {
				options.push(next === undefined || next.startsWith('-') ? word : `${word} ${next}`);
			}
		} else if (!isOpen(word, prefix) || (GOALS.test(prefix) && !isValue)) {
			return undefined;
		}
	}
	return { prefix, options };
}

function isReader(words: Words, folder: string): boolean {
	const [first, second, third, ...others] = words;
	if (first === 'cd') {
		// Agents begin many commands with `cd` to the current folder.
		return words.length === 2 && path.resolve(folder, second ?? '') === path.resolve(folder);
	}
	if (first === 'sed') {
		return second === '-n' && /^[\d,$]+p$/.test(third ?? '') && !others.some(word => word.startsWith('-'));
	}
	return READERS.some(([program, refused]) => {
		const length = first === 'git' ? 2 : 1;
		return program.test(words.slice(0, length).join(' ')) && !words.slice(length).some(word => refused?.test(word));
	});
}

/**
 * Returns whether a word may stand where a rule leaves words open. It must not lead outside the folder, set anything
 * (`make` would, even from the output of a command), or name a file with further options. A program that creates files
 * must not create one that decides what runs, nor get a pattern, which might match one.
 */
function isOpen(word: string, prefix: string): boolean {
	const isDecisive = MAKERS.test(prefix) && (/[*?]/.test(word) || decisiveReason({ path: word }) !== undefined);
	return !/^[/~@]|=|(?:^|\/)\.\.(?:\/|$)/.test(word) && !isDecisive;
}
