// Messages between the pages and the host, and the text of replies that a page draws.
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { nullLogger } from '../../../src/base/logger.ts';
import { parseFromReportPage } from '../../../src/channel/model/protocolSchema.ts';
import { parseShownState, shownState } from '../../../src/chat/model/shownConversation.ts';
import { openableUrl, parseFromPage } from '../../../src/chat/protocol/protocolSchema.ts';
import { GrowingMarkdown } from '../../../src/chat/ui/markdown/growingMarkdown.ts';
import { createMarkdown } from '../../../src/chat/ui/markdown.ts';
import { initialState } from '../../../src/chat/ui/page.ts';
import { parseFromDecisionPage } from '../../../src/decisions/model/protocol.ts';
import { serveMessage } from '../../../src/platform/serveMessage.ts';
import { parseCompared, parseFromComparisonPage } from '../../../src/tasks/model/comparisonProtocol.ts';
import { isThreadList } from '../../../src/tasks/model/reviewComment.ts';
import { parseFromStepsPage, parseShownSteps } from '../../../src/tasks/model/stepsProtocol.ts';
import { jsonLinesOf, type Target } from '../fuzzer.ts';

const PARSERS: readonly ((message: unknown) => { kind: string } | undefined)[] = [
	parseFromPage,
	parseFromReportPage,
	parseFromDecisionPage,
	parseFromComparisonPage,
	parseFromStepsPage,
];

const pageMessages: Target = {
	name: 'pageMessages',
	iterations: 700,
	async run(input) {
		const kinds: (string | undefined)[] = [];
		for (const message of jsonLinesOf(input)) {
			for (const parse of PARSERS) {
				const parsed = parse(message);
				assert.ok(parsed === undefined || sameFields(parsed, message), 'a message is not what was posted');
				kinds.push(parsed?.kind);
			}
			await checkAnswer(message);
			checkStored(message);
		}
		return kinds.join();
	},
};

/** Every field is demanded or known, but for `__proto__` in a record, which is dropped. */
const sameFields = (parsed: object, message: unknown): boolean =>
	isDeepStrictEqual(
		JSON.parse(JSON.stringify(parsed)),
		JSON.parse(JSON.stringify(message, (name, value) => (name === '__proto__' ? undefined : value))),
	);

/** A page waits for the end of each request, whatever else is in it. */
async function checkAnswer(message: unknown): Promise<void> {
	const answers: string[] = [];
	await serveMessage(message, {
		parse: parseFromPage,
		handle: () => true,
		post: async answer => answers.push(answer.request),
		explain: () => ({ message: 'It failed.' }),
		logger: nullLogger,
	});
	const { request, kind, url } = Object(message);
	const isRequest = typeof request === 'string' && kind !== 'answer';
	assert.deepEqual(answers, isRequest ? [request.slice(0, 64)] : [], 'a request has not exactly one answer');
	const opened = typeof url === 'string' ? openableUrl(url) : undefined;
	assert.ok(opened === undefined || /^(?:https?|mailto):$/.test(opened.protocol));
}

function checkStored(value: unknown): void {
	const shown = parseShownState(value);
	if (shown !== undefined) {
		assert.deepEqual(
			parseShownState(JSON.parse(JSON.stringify(shownState(shown)))),
			shown,
			'it shows another conversation',
		);
	}
	parseCompared(value);
	parseShownSteps(value);
	isThreadList(value);
	const text = JSON.stringify(value);
	assert.equal(typeof initialState(text, undefined, text).draft, 'string');
}

const markdown = createMarkdown();

/** The tags that a reply can have, with the attributes that the page gives them. */
const TAG =
	/^<\/?(?:a|p|h[456]|ul|ol|li|blockquote|pre|code|em|strong|s|hr|br|table|thead|tbody|tr|th|td|span)(?: (?:class|href|title|start)="[^"<>]*")*>$/;

const markdownReply: Target = {
	name: 'markdown',
	iterations: 70,
	// One paragraph is parsed again with each of its pieces, so the time grows with the square of its length.
	maximumLength: 6_000,
	run(input) {
		const text = input.toString();
		const whole = markdown.render(text);
		for (const tag of whole.match(/<[^>]*>?/g) ?? []) {
			assert.match(tag, TAG, 'a reply makes a tag of its own');
		}
		for (const [, address = ''] of whole.matchAll(/ href="([^"]*)"/g)) {
			assert.match(address, /^(?:https?:\/\/|mailto:)/i, 'a link leads elsewhere');
		}
		assert.ok(whole.length <= 5_000 + 60 * text.length, 'it grows');
		const growing = new GrowingMarkdown(markdown, 200);
		for (let at = 0, size = 1; at < text.length; at += size, size = (7 * size) % 61) {
			growing.append(text.slice(at, at + size));
		}
		growing.end();
		while (growing.refresh() !== undefined);
		const html = growing.blocks.map(({ open, parts, close }) => open + parts.join('') + close).join('');
		assert.equal(html, whole, 'a text that grew is drawn in another way');
		return whole.replace(/>[^<]*</g, '><');
	},
};

export const pageTargets: readonly Target[] = [pageMessages, markdownReply];
