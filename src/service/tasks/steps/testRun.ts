// Which commands of an agent run tests, and how they have ended.
import { OWN_AGENT } from '../../../agents/catalogue/ownAgent.ts';
import { isOver, type ToolCall } from '../../../agents/session/events.ts';
import { cut } from '../../../base/plainText.ts';
import type { TestRun } from '../../../contract/taskSteps.ts';

const MAXIMUM_COMMAND = 200;

/** Nobody runs tests with a longer line. Its parts are searched in quadratic time, and an agent may write any line. */
const MAXIMUM_LINE = 4_000;

const RUNS_TESTS = new RegExp(
	`^(?:${[
		/(?:npm|pnpm|yarn|bun)(?: run)? (?:t|tst|tests?)(?:[:-][\w:-]+)?/,
		/(?:(?:npx|bunx|pnpm exec|yarn) )?(?:jest|vitest|mocha|ava|tap|playwright test|cypress run)/,
		/(?:(?:uv|poetry|pipenv) run )?(?:python[\d.]* -m )?(?:pytest|unittest|nose2|tox|nox)/,
		/(?:bundle exec )?(?:rspec|rake (?:test|spec)|(?:bin\/)?rails test)/,
		/(?:node --|go |deno |cargo |flutter |dart |swift |mix |sbt |zig build )test|cargo nextest run|ctest/,
		/(?:make|just|task) (?:tests?|check)|(?:\.\/)?(?:vendor\/bin\/)?phpunit/,
		/(?:mvn|\.\/mvnw|gradle|\.\/gradlew|dotnet|bazel) (?:-\S+ )*(?:test|verify|check)/,
	]
		.map(({ source }) => source)
		.join('|')})(?=\\s|$)`,
);
const RUNS_NONE = /\s(?:--(?:help|version|list\w*|collect-only)|-h)\b/;

/** What may stand in front of a command without changing how it ends, other than `timeout`. */
const IN_FRONT = /^(?:\w+=\S*|time|env|exec|nice)\s+/;
const QUOTED = /"(?:\\.|[^"\\])*"|'[^']*'/g;
const REDIRECTION = /\d*(?:>>?|<)&?\s*[^\s;|&<>]+|&>>?\s*\S+/g;
const OPERATOR = /&&|\|\||[;|&\n]/;
/** A part of a line that is not expected to fail. */
const PREPARES = /^(?:cd|export|set|pushd)\s/;

/** The end of the output of a command that Errand's own agent has run. */
const EXIT_CODE = /Exit code (\d+)\.$/;

/**
 * Returns the run of tests that a tool call was, or undefined if it was none. `own` is the command by which the
 * repository says it is tested. A line of several commands ends as its tests do only if nothing else decides that.
 */
export function testRunOf(call: ToolCall, agent: string, own: string | undefined): TestRun | undefined {
	const command = call.command?.trim();
	if (call.kind !== 'execute' || command === undefined || !isOver(call)) {
		return undefined;
	}
	const runsTests = (part: string) => {
		const bare = withoutFront(part.trim());
		return (RUNS_TESTS.test(bare) && !RUNS_NONE.test(bare)) || bare === own || bare.startsWith(`${own} `);
	};
	// What follows a here-document may be its text.
	const [line = ''] = command.split('<<', 1);
	if (line.length > MAXIMUM_LINE) {
		return undefined;
	}
	const plain = line.replace(QUOTED, '_').replace(REDIRECTION, ' ').trim();
	if (command !== own && !plain.split(OPERATOR).some(runsTests)) {
		return undefined;
	}
	const parts = plain.split('&&').map(part => part.trim());
	const decide = (isDecisive: (part: string) => boolean) => command === own || parts.every(isDecisive);
	const isAll = line === command || command === own;
	const end = isAll && decide(part => !OPERATOR.test(part)) ? endOf(call, agent) : 'unknown';
	// Another command of the line may be what has failed.
	const outcome = end === 'failed' && !decide(part => runsTests(part) || PREPARES.test(part)) ? 'unknown' : end;
	return { command: cut(command, MAXIMUM_COMMAND), outcome };
}

/** Other agents call a command completed that has ended with an error. */
function endOf({ status, output }: ToolCall, agent: string): TestRun['outcome'] {
	if (agent === OWN_AGENT) {
		const code = EXIT_CODE.exec(output.trimEnd())?.[1];
		return code === undefined ? 'unknown' : code === '0' ? 'passed' : 'failed';
	}
	return status === 'failed' ? 'failed' : 'unknown';
}

function withoutFront(part: string): string {
	const rest = part.replace(IN_FRONT, '');
	return rest === part ? part : withoutFront(rest);
}
