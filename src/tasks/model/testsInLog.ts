// The test results in the log of a task. Nothing more is claimed: a command that is not followed by a result has none.
import { oneLine, plainText } from '../../base/plainText.ts';
import type { LogEntry } from '../../contract/tasks.ts';

export interface TestsInLog {
	/** The last command that runs tests, on one line; undefined if the log has only a result. */
	command: string | undefined;
	/** `not-run`: the command could not be run. `unknown`: the log does not show the outcome. */
	outcome: 'passed' | 'failed' | 'not-run' | 'unknown';
	/** The line of the log with the outcome, on one line of bounded length. */
	line: string | undefined;
}

const MAXIMUM_LINE = 120;

/** Lines of a diff, which show the text of tests and not their output. */
const DIFF_LINE = /^[+-]/;

/** The length of the part of a message that is read, in UTF-16 code units. */
const MAXIMUM_MESSAGE = 20_000;

/** The length of the part of a line that is read, in UTF-16 code units. */
const MAXIMUM_LOOKED = 2_000;

/** Commands that run tests, as agents name them in the titles of their calls. */
const COMMAND =
	/(?:^|[\s`"'(;&|$])((?:(?:npm|pnpm|yarn|bun)(?: run)? (?:test|t)\b|(?:npx |pnpm |yarn |bunx )?(?:vitest|jest|mocha|ava|playwright test)\b|node --test\b|deno test\b|(?:python3? -m )?(?:pytest|unittest)\b|tox\b|go test\b|cargo (?:test|nextest)\b|(?:\.\/)?(?:mvnw?|gradlew?)\b[^\n]{0,40}\b(?:test|check|verify)\b|make (?:test|check)\b|ctest\b|dotnet test\b|(?:bundle exec )?(?:rspec|rake test)\b|mix test\b|swift test\b|phpunit\b|composer test\b)[^\n`]{0,80})/;

/** A word that each of these commands contains, to pass over most texts quickly. */
const MAY_BE_COMMAND = /\bt\b|test|tox|check|verify|spec|ava|jest|mocha|phpunit/;

const FAILED =
	/\b(?:([1-9]\d*) (?:tests? |specs? |examples? )?(?:failed|failing|failures?|errors?)\b|(?:failures|failed|errors)[=:] ?([1-9]\d*)\b|test result: FAILED|FAIL(?:ED)?\b(?=[:\s]|$)|not ok \d+)/;
const PASSED =
	/\b(?:(\d+) (?:tests? |specs? |examples? )?(?:passed|passing)\b|test result: ok\b|OK \(\d+ tests?|all tests? pass(?:ed)?\b|(?:pass|passed)[=:] ?\d+\b|0 failures\b)/i;

/** The messages of a shell, Node or the local service about tests that could not be run. */
const NOT_RUN =
	/: (?:command )?not found\s*$|command not found: |is not recognized as an internal or external command|Cannot find (?:module|package) ['"]|" could not be (?:run here|started)|^The tests could not be prepared/m;

/**
 * Reads entries in order, and returns what they say about the last run of tests. From an agent's own messages only the
 * commands count, as it may claim any result.
 */
export class TestsReader {
	private found: TestsInLog | undefined;

	add({ message = '', type, step, contentType }: LogEntry): void {
		if (step === 'agent_thought' || step === 'agent_plan') {
			return;
		}
		const text = plainText(message.slice(0, MAXIMUM_MESSAGE));
		const isSaid = contentType === 'agentResponse' || step === 'agent_message';
		if (isSaid && !/^running\b/i.test(text)) {
			return;
		}
		const named = MAY_BE_COMMAND.test(text) ? COMMAND.exec(text)?.[1] : undefined;
		const failed = named !== undefined && type === 'warning' && /\bfailed(?:[.:]|$)/.test(text);
		// A program that was not found is named but was not run.
		const command = named !== undefined && (failed || !NOT_RUN.test(text)) ? named : undefined;
		if (command !== undefined && !failed) {
			this.found = { command: shown(withoutEnd(command)), outcome: 'unknown', line: undefined };
		}
		if (isSaid) {
			return;
		}
		if (failed) {
			const name = shown(withoutEnd(named));
			const isNotRun = NOT_RUN.test(text) || (this.found?.outcome === 'not-run' && this.found.command === name);
			this.found = { command: name, outcome: isNotRun ? 'not-run' : 'failed', line: shown(text) };
			return;
		}
		for (const line of text.split('\n')) {
			const outcome = outcomeOf(line) ?? (this.found?.outcome === 'unknown' ? notRunOf(line) : undefined);
			// Runners list failed and passed tests on separate lines; one failure is enough.
			if (outcome !== undefined && (this.found?.outcome !== 'failed' || this.found.command === undefined)) {
				this.found = { command: this.found?.command, outcome, line: shown(line) };
			}
		}
	}

	/** Undefined if the log says nothing about tests. */
	get result(): TestsInLog | undefined {
		return this.found;
	}
}

function outcomeOf(line: string): 'passed' | 'failed' | undefined {
	const text = line.slice(0, MAXIMUM_LOOKED);
	if (
		DIFF_LINE.test(text) ||
		!/\b(?:tests?|specs?|suites?|examples?|pass(?:ed|ing)?|fail(?:ed|ing|ures?)?|ok)\b/i.test(text)
	) {
		return undefined;
	}
	return FAILED.test(text) ? 'failed' : PASSED.test(text) ? 'passed' : undefined;
}

const notRunOf = (line: string) => (NOT_RUN.test(line.slice(0, MAXIMUM_LOOKED)) ? 'not-run' : undefined);

const withoutEnd = (command: string) => command.replace(/(?: failed[.:].*|["')\s…]+|(?<![./])\.)$/, '');

const shown = (text: string) => oneLine(text, MAXIMUM_LINE);
