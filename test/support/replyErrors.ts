// What a service may answer to a message in place of a reply, with the sentence and the button that the chat shows.
import type { TurnMode } from '../../src/chat/model/mode.ts';
import { commands, internalCommands } from '../../src/platform/ids.ts';
import { type Answer, sendJson } from './faultServer.ts';

/** An answer to a message, with the sentence and the button that the chat shows for it. */
export interface ReplyError {
	what: string;
	answer: Answer;
	mode?: TurnMode;
	sentence: RegExp;
	button?: string;
}

/** The model that is asked; the label of the connection is Quillon. */
export const MODEL = 'quill-large';
const json =
	(status: number, body: unknown): Answer =>
	response =>
		sendJson(response, status, body);
const page =
	(status: number): Answer =>
	response =>
		void response.writeHead(status, { 'content-type': 'text/html' }).end('<!doctype html><title>Log in</title>');
const said = (text: string) => json(200, { choices: [{ message: { role: 'assistant', content: text } }] });
const aPage = /^A web page answered in place of Quillon, such as one for a login\. Check the address, and whether/;
const { showLog, manageKeys } = commands;
const { selectModel } = internalCommands;

export const replyErrors: readonly ReplyError[] = [
	{
		what: '400 of the responses endpoint',
		answer: json(400, { error: { code: '400', message: 'Input must be a list' } }),
		sentence: /^Quillon does not accept the request: Input must be a list\.$/,
	},
	{
		what: '401',
		answer: json(401, { error: 'Unauthorized' }),
		sentence: /^Quillon refuses the key: Unauthorized\.$/,
		button: manageKeys,
	},
	{
		what: '402',
		answer: json(402, { error: { message: 'Pay first' } }),
		sentence: /^The credit or the quota of the account on Quillon is used up: Pay first\. Add/,
	},
	{
		what: '404 for a model',
		answer: json(404, { error: { message: `The model ${MODEL} does not exist`, code: 'model_not_found' } }),
		sentence: /^The service has no model “quill-large”\. Choose another one\. It said: “The model quill-large does not/,
		button: selectModel,
	},
	{ what: '404 of a login page', answer: page(404), sentence: aPage, button: showLog },
	{
		what: '404 of a wrong address',
		answer: json(404, { detail: 'Not Found' }),
		sentence:
			/^The service does not know the model “quill-large”, or nothing serves models at its address\..* or check the/,
		button: selectModel,
	},
	{ what: 'a login page with the status of success', answer: page(200), sentence: aPage, button: showLog },
	{
		what: 'a redirect elsewhere',
		answer: response => void response.writeHead(302, { location: 'https://login.example/' }).end(),
		sentence: /^Quillon sends the request on to https:\/\/login\.example, as for a login/,
		button: showLog,
	},
	{
		what: '413',
		answer: json(413, { error: { message: 'At most 2 MB' } }),
		sentence: /^The request is too large for Quillon: At most 2 MB\. Send less\.$/,
	},
	{
		what: '422 with a list in detail',
		answer: json(422, { detail: [{ loc: ['body', 'top_k'], msg: 'Input should be at most 100', type: 'less_than' }] }),
		sentence: /^Quillon does not accept the request: body\.top_k: Input should be at most 100\.$/,
	},
	{
		what: '422 with a list of errors',
		answer: json(422, { errors: [{ field: 'stop', message: 'has too many entries' }] }),
		sentence: /^Quillon does not accept the request: stop: has too many entries\.$/,
	},
	{
		what: '429 for a quota',
		answer: json(429, { error: { message: 'You exceeded your current quota.', code: 'insufficient_quota' } }),
		sentence: /^The credit or the quota of the account on Quillon is used up: You exceeded your current quota\. Add/,
	},
	{
		what: '502 of a provider',
		answer: json(502, { error: { message: 'fastlane did not answer' } }),
		sentence: /^Quillon got no answer from a service behind it: fastlane did not answer\.$/,
		button: showLog,
	},
	{
		what: '502 of a gateway',
		answer: page(502),
		sentence: /^Quillon had an internal error \(HTTP 502\)\.$/,
		button: showLog,
	},
	{
		what: 'words in place of an image',
		mode: 'image',
		answer: said('I cannot draw people who are alive.\nAsk for something else.'),
		sentence:
			/^quill-large answered with words in place of an image\. It said: “I cannot draw people .* something else\.”$/,
	},
	{
		what: 'no image and no words',
		mode: 'image',
		answer: said(''),
		sentence: /^Quillon answered with something that is not in its contract/,
		button: showLog,
	},
];
