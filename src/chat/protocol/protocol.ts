// What the chat page and the extension say to each other. Kinds are noun-verb. Plain types: the page has no zod.

import type { AnswerMessage } from '../../base/rpc.ts';
import type { AttachmentKind } from '../model/attachment.ts';
import type { Citations } from '../model/citations.ts';
import type { ImageProblem } from '../model/images.ts';
import type { TurnMode } from '../model/mode.ts';
import type { EncryptionView } from './encryptionProtocol.ts';
import type { CostView, DetailsView, PolicyView } from './policyProtocol.ts';

/** Every change of the conversation carries the number after the one before; a snapshot carries the last one in it. */
export type ToPage =
	| { kind: 'snapshot-set'; sequence: number; snapshot: Snapshot }
	/** Asked for: the turns before the first one that the page has, and how many there are before those. */
	| { kind: 'turns-prepend'; before: string; turns: TurnView[]; earlier: number }
	| { kind: 'turns-change'; sequence: number; changes: TurnChange[] }
	| { kind: 'connection-set'; connection: ConnectionView }
	| { kind: 'policy-set'; policy: PolicyView }
	| { kind: 'encryption-set'; encryption: EncryptionView }
	| { kind: 'notice-set'; notice: string | undefined }
	| { kind: 'mode-set'; mode: TurnMode }
	/** The message is on disk: the composer may let go of it. */
	| { kind: 'message-accept'; turn: string }
	/** The user is asked for something first: the answer comes when that is over. */
	| { kind: 'message-hold'; turn: string }
	/** `reason`: a sentence; `action`: the label of the button that helps. */
	| { kind: 'message-refuse'; turn: string; reason: string; action?: string }
	/** A request: the answer says whether keys that are pressed go to the page. */
	| { kind: 'composer-focus'; request: string }
	/** Ends a request of the page. */
	| AnswerMessage
	/** Puts a question into the composer, where there is none yet. */
	| { kind: 'composer-fill'; text: string }
	| { kind: 'context-set'; context: ContextView };

/** Those with a `request` are requests, and `PageAnswers` says of what. */
export type FromPage =
	/** The page has loaded and wants a snapshot. */
	| { kind: 'page-ready'; request: string }
	/** A change was missed. */
	| { kind: 'snapshot-request'; request: string }
	/** Wants the turns before this one, which is the first that the page has. */
	| { kind: 'earlier-request'; request: string; before: string }
	/**
	 * The page makes the turn's id, so that after a reload it can tell whether its draft was taken. It says which
	 * conversation it shows, once it shows one, because another may be on its way. `edits`: in the place of this turn.
	 */
	| { kind: 'message-send'; conversation?: string; turn: string; text: string; edits?: string }
	| { kind: 'reply-stop'; turn: string }
	| { kind: 'reply-retry'; turn: string }
	| { kind: 'reply-continue'; turn: string }
	/** Shows this version of a message. */
	| { kind: 'version-show'; turn: string }
	/** The button of a turn's explanation was pressed. The host knows which command that is. */
	| { kind: 'explanation-follow'; turn: string }
	/** The button beside the reason why this message was not sent was pressed. */
	| { kind: 'refusal-follow'; turn: string }
	/** The button of the connection's line was pressed. */
	| { kind: 'connection-follow' }
	/** The user wants to choose what messages ask for. */
	| { kind: 'mode-pick' }
	| { kind: 'reply-image-request'; request: string; turn: string; file: string }
	/** Loads it once more; saves it; writes it into the workspace and a reference at the cursor; opens its address. */
	| { kind: 'reply-image-reload' | 'reply-image-save' | 'reply-image-insert' | 'reply-image-open'; turn: string }
	/** Begins an encrypted conversation; shows what the one that is shown proves. */
	| { kind: 'encryption-begin' }
	| { kind: 'attestation-show' }
	/** What was typed in this encrypted conversation and not sent. The host holds it, and writes it nowhere. */
	| { kind: 'draft-hold'; conversation: string; text: string }
	/** The buttons of the model and the policy were pressed. */
	| { kind: 'model-choose' }
	| { kind: 'policy-choose' }
	/** Ends a request of the host. */
	| AnswerMessage
	/** Whether keys that are pressed go to the page. The editor's own `focusedView` leaves out webviews. */
	| { kind: 'focus-tell'; focused: boolean }
	/** What the page keeps for itself, as its own JSON: handed back to the next page as it is. */
	| { kind: 'state-keep'; state: string }
	| { kind: 'link-open'; url: string }
	| { kind: 'text-copy'; text: string }
	/** Code of this turn's reply, and what its fence says of it. */
	| { kind: 'code-use'; action: CodeAction; turn: string; code: string; language?: string; file?: string }
	/** Which of these names are files of the workspace? */
	| { kind: 'files-check'; request: string; names: string[] }
	| { kind: 'file-open'; name: string }
	| { kind: 'image-load'; request: string; url: string }
	/** Asks the user what to add. */
	| { kind: 'context-pick' }
	/** Asks the user what to leave out, so that the message fits. */
	| { kind: 'context-shorten' }
	| { kind: 'context-drop'; uris: string[] }
	/** A file that came without an address. */
	| { kind: 'context-text'; name: string; text: string }
	/** An image that came without an address, in base64. */
	| { kind: 'context-image'; name: string; data: string }
	/** Asks for an image that is attached to a message, or, without a turn, to the next one. */
	| { kind: 'preview-request'; request: string; file: string; turn?: string }
	| { kind: 'chip-remove'; chip: string }
	| { kind: 'chip-open'; chip: string }
	/** Opens the place of what went with a message. */
	| { kind: 'attachment-open'; turn: string; index: number }
	/** What could stand for `#` and these characters. */
	| { kind: 'completion-request'; request: string; query: string }
	| { kind: 'completion-take'; item: string }
	| { kind: 'paste-look'; request: string; text: string }
	/** What was pasted becomes a chip: an answer that came too late gets no such word, because by then it is text. */
	| { kind: 'paste-take'; paste: string };

/** What the page asks for, and what the answer holds, as what a method of that name would give. */
export interface PageAnswers {
	/** Nothing: what was asked for has been posted by then. */
	'page-ready'(): void;
	'snapshot-request'(): void;
	'earlier-request'(): void;
	/** A kept image as a `data:` address; undefined where it is gone. */
	'reply-image-request'(): string | undefined;
	/** Those of the names that are files of the workspace. */
	'files-check'(): string[];
	'image-load'(): LoadedImage;
	/** As a `data:` address; undefined where it is gone. */
	'preview-request'(): string | undefined;
	'completion-request'(): CompletionItem[];
	/** What the host calls what was pasted, if it can make a chip of it; otherwise it is text. */
	'paste-look'(): string | undefined;
}

export type AnswerTo<K extends keyof PageAnswers> = ReturnType<PageAnswers[K]>;

/** What the host does for each of these messages; for a request it gives what the answer holds. */
export type PageHandlers<K extends FromPage['kind']> = {
	[P in K]: (
		message: Extract<FromPage, { kind: P }>,
	) => P extends keyof PageAnswers ? AnswerTo<P> | Promise<AnswerTo<P>> : unknown;
};

export type CodeAction = 'insert' | 'new-file' | 'apply';

/** `problem` is a sentence. */
export type LoadedImage = { dataUrl: string } | { problem: string };

export type TurnChange =
	| { kind: 'turn-set'; turn: TurnView }
	| { kind: 'text-append'; turn: string; text: string }
	| { kind: 'reasoning-append'; turn: string; text: string };

export interface Snapshot {
	/** The id of the conversation. */
	conversation: string;
	/** The last ones; `earlier` is how many there are before them. */
	turns: TurnView[];
	earlier: number;
	connection: ConnectionView;
	/** Absent for chat. */
	mode?: TurnMode;
	policy?: PolicyView;
	/** Absent where it is not encrypted. */
	encryption?: EncryptionView;
	notice?: string;
}

export interface ConnectionView {
	label: string;
	model?: string;
	/** Why chat cannot be used, as a sentence, with the label of the one button that helps. */
	problem?: { message: string; action: string };
	/** Why no encrypted conversation can be had, as a sentence. */
	noEncryption?: string;
	/** Why these cannot be used, as sentences. */
	refusedModes?: Partial<Record<TurnMode, string>>;
}

export interface TurnView {
	id: string;
	/** Milliseconds since the epoch. */
	askedAt: number;
	question: string;
	/** Absent in a chat. */
	mode?: Exclude<TurnMode, 'chat'>;
	/** What went with the message, in its order. */
	attachments?: AttachmentView[];
	reply: ReplyView;
	/** Where the message was changed and sent again: this is the one at `index`, counted from 1. Turn ids. */
	version?: { index: number; count: number; previous?: string; next?: string };
}

export interface AttachmentView {
	kind: AttachmentKind;
	/** Such as `auth.ts:40-72`. */
	label: string;
	/** The file's path, where it has one. */
	path?: string;
	/** In UTF-16 code units, and about how many tokens that is. */
	length: number;
	tokens: number;
	/** Of an image: the name of its file, its size in pixels and in bytes. */
	image?: { file: string; width: number; height: number; bytes: number };
	/** How many of them the user left out. */
	omitted?: number;
}

/** What will go with the next message. */
export interface ContextView {
	chips: ChipView[];
	/** Why not all of it can be sent, as a sentence. */
	warning?: string;
}

export interface ChipView extends AttachmentView {
	id: string;
}

export interface CompletionItem {
	id: string;
	kind: AttachmentKind;
	label: string;
	description?: string;
}

export interface ReplyView {
	state: 'streaming' | 'done' | 'stopped' | 'cutOff' | 'failed';
	text: string;
	/** The text is that of an earlier reply, shown until the current one has some. */
	earlier: boolean;
	reasoning?: string;
	model?: string;
	provider?: string;
	/** Milliseconds. */
	duration?: number;
	usage?: { prompt?: number; cached?: number; completion?: number; reasoning?: number };
	cost?: CostView;
	details?: DetailsView;
	/** Streaming, and nothing has come for a while. */
	waiting: boolean;
	explanation?: { message: string; action?: { label: string; primary: boolean } };
	canRetry: boolean;
	/** It ended before the model had said all. */
	canContinue: boolean;
	/** How often it was continued. */
	continued: number;
	/** Once it has ended. */
	citations?: Citations;
	/** Of an image model's reply; absent until it is known. */
	image?: ReplyImageView;
}

/** `file` names it in requests. Sizes are in pixels. */
export type ReplyImageView =
	| { file: string; width: number; height: number }
	| { problem: ImageProblem | 'not-loaded'; canReload: boolean };

/** Longest user message, in UTF-16 code units. */
export const MAXIMUM_MESSAGE_LENGTH = 1_000_000;

/** Longest text that is looked up when it is pasted, and most addresses in one drop. */
export const MAXIMUM_PASTE_LENGTH = 200_000;
export const MAXIMUM_DROP = 200;
export const MAXIMUM_FILE_TEXT = 1_000_000;
/** Of an image in base64. */
export const MAXIMUM_IMAGE_DATA = 7_000_000;

/** Longest text the page may ask to copy, and longest address it may ask to open. */
export const MAXIMUM_COPY_LENGTH = 16_000_000;
/** Longest state that the page may have kept. */
export const MAXIMUM_STATE_LENGTH = 8_000_000;
export const MAXIMUM_URL_LENGTH = 8_192;

/** So many names of files the page may ask about at a time, and how long each and what a fence says may be. */
export const MAXIMUM_NAMES = 64;
export const MAXIMUM_NAME_LENGTH = 400;

/** What the shell hands to the page before its script runs. */
export interface PageData {
	/** What a page kept last, as its own JSON. */
	state?: string;
	/** Tells workspaces apart. */
	place: string;
	/** Translations by their English texts; absent where the editor speaks English. */
	bundle?: Record<string, string>;
	language: string;
}
