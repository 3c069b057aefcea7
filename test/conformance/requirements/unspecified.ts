import { type Requirement, section } from './section.ts';

const choices = (heading: string, behaviours: readonly string[]) => section('unspecified', heading, behaviours);

/** What is done where the three documents are silent, as unspecified.md settles it. */
export const unspecifiedRequirements: readonly Requirement[] = [
	...choices('Inference', [
		'models come from the connection; a refresh that finds no list changes nothing',
		'chunks are read in their public shape; [DONE] or a clean close after a finish_reason ends a stream, else it is cut off',
		'an error in the middle ends a stream in whatever form it comes, and the text before it is kept',
		'an assistant message that called tools goes back with its calls and a content, empty where there was none',
		'the request wins over an alias, field by field',
		'user is never sent by itself',
		'store and stream are filled in, contradictions are refused, instructions only matter to code-oriented models',
		'the cost of a search is a lower bound',
		'whether the account forces ZDR is only known where the connection tells',
		'response_format passes through as given',
		'object forms pass through unchanged',
		'content may be a list of parts',
		'the most specific sentence of an error body is read, and the status always counts',
		'the message of a responses error decides, whatever the status',
		'failed, incomplete and error end a response; other unknown events are ignored; reasoning is kept byte for byte',
		'429 and 503 are tried again as they ask, at most three times, never after the first byte, never for what could start a second task',
		'video generation has no interface, and none is built',
		'the decision model has a default, and the reply tells its version',
	]),
	...choices('Encrypted channel', [
		'the stream of messages is read by its content type, each frame verified before it is shown',
		'the signature of the attestation is over the report as received, in either form and hash',
		'evidence is read where it has a known form, and else not checked',
		'a nonce is there, and never seen before',
		'a refusal other than 409 ends the message with its own explanation',
		'409 leads to one attestation and one further try, and a changed key asks first',
		'413 tells that the conversation is too long for the channel',
	]),
	...choices('Cloud tasks', [
		'a task is created by POST with its documented fields',
		'several agents on one prompt go out as selectedAgents',
		'one task is read by its id, and else looked for in the list',
		'stop is a PATCH with an action',
		'a follow-up prompt goes to continue, and the task is active again',
		'tasks are neither deleted nor created in batches',
		'creation is never tried again by itself',
		'further states count as active or final; an unknown one is active until it has ended',
		'the list of the agent API is read in both shapes',
		'an error event is a lost connection; a final state without complete, or three barren connections, lead to the task itself',
		'fields beyond the ones used are kept',
		'a log is resumed from the next index, with backoff, without repeats, and with every gap told',
		'no key in a query',
		'agents come from the connection',
		'a team goes only to services whose connection names teams, and else own tasks are meant',
		'the source-hosting segment comes from the connection',
	]),
];
