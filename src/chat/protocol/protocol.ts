// The messages between the chat page and the extension. Their kinds are named noun-verb. Plain types, because the page
// has no zod.

import type { AnswerMessage } from '../../base/rpc.ts';
import type { NextTaskChoice, NextTaskView } from '../../tasks/api.ts';
import type { ApprovalSetting } from '../model/approvals.ts';
import type { AttachmentKind } from '../model/attachment.ts';
import type { Citations } from '../model/citations.ts';
import type { ImageProblem } from '../model/images.ts';
import type { TurnMode } from '../model/mode.ts';
import type { CostView, DetailsView, SettingsView, UseView } from './settingsProtocol.ts';
import type { WorkChange, WorkFromPage, WorkView } from './workProtocol.ts';

/**
 * Each change of the conversation has the number after the previous one; a snapshot has the number of the last change
 * that it includes.
 */
export type ToPage =
	| { kind: 'snapshot-set'; sequence: number; snapshot: Snapshot }
	/** The requested turns before the first one of the page. `earlier` is the number of turns before those. */
	| { kind: 'turns-prepend'; before: string; turns: TurnView[]; earlier: number }
	| { kind: 'turns-change'; sequence: number; changes: TurnChange[] }
	| { kind: 'connection-set'; connection: ConnectionView }
	| { kind: 'settings-set'; settings: SettingsView }
	| { kind: 'encryption-set'; encryption: EncryptionView }
	| { kind: 'notice-set'; notice: string | undefined }
	| { kind: 'mode-set'; mode: TurnMode }
	| { kind: 'agent-set'; agent: AgentView }
	/** The message is on disk, so the composer may drop its draft. */
	| { kind: 'message-accept'; turn: string }
	/** The user is asked something first, or the message waits for an agent. Its outcome follows later. */
	| { kind: 'message-hold'; turn: string; waits?: true }
	/** `reason` is a sentence, empty if the user made the decision; `action` is the label of a button that helps. */
	| { kind: 'message-refuse'; turn: string; reason: string; action?: string }
	/**
	 * A request whose answer says whether the page has the keyboard focus. `takesIt` is false if a page without it waits
	 * until it comes back.
	 */
	| { kind: 'composer-focus'; request: string; takesIt: boolean }
	/** Answers a request of the page. */
	| AnswerMessage
	/** Shows above the composer why something was not done, until the user goes on. */
	| { kind: 'hint-set'; hint: string }
	/** Puts a text into the composer where it is empty, or below what is there where `isAdded` says so. */
	| { kind: 'composer-fill'; text: string; isAdded?: true }
	/** Sends the draft, if there is one, now that a model can answer it. */
	| { kind: 'draft-send' }
	/**
	 * Makes the composer's messages prompts of tasks, or gives them the mode of the conversation again; a prompt that was
	 * already typed stays one.
	 */
	| { kind: 'task-mode-set'; isOn: boolean }
	/** A task was made of this prompt, which begins with the draft that was sent. */
	| { kind: 'task-made'; prompt: string }
	/** The choices for the next task. */
	| { kind: 'task-set'; task: NextTaskView }
	/**
	 * Makes the draft a task's prompt and appends a text after a blank line. A draft that is being sent goes first. The
	 * answer is true.
	 */
	| { kind: 'draft-write'; request: string; text: string }
	| { kind: 'context-set'; context: ContextView };

/** Messages with a `request` are requests; `PageAnswers` describes their answers. */
export type FromPage =
	/** The page has loaded and asks for a snapshot. */
	| { kind: 'page-ready'; request: string }
	/** The page has missed a change and asks for a snapshot. */
	| { kind: 'snapshot-request'; request: string }
	/** Requests the turns before this one, which is the first that the page has. */
	| { kind: 'earlier-request'; request: string; before: string }
	/**
	 * The page creates the turn's id, so that after a reload it can tell whether its draft was accepted. `conversation`
	 * is the one that the page shows, if any, because another one may be about to be shown. `edits` is the turn that the
	 * message replaces. With `waits`, it is sent when the working agent has ended. With `task`, it is a task's prompt
	 * unless it begins with a command.
	 */
	| {
			kind: 'message-send';
			conversation?: string;
			turn: string;
			text: string;
			edits?: string;
			waits?: true;
			task?: true;
	  }
	/** Says whether the composer shows the choices for the next task. */
	| { kind: 'task-follow'; isShown: boolean }
	/** The user wants to change a choice for the next task, or to resolve the problem that prevents it. */
	| { kind: 'task-choose'; choice: NextTaskChoice }
	/** Asks to move the draft, with its context, into an editor. */
	| { kind: 'task-prompt-open'; request: string; text: string }
	/** Sends a message that waits for an agent now, and stops the agent. */
	| { kind: 'message-hurry'; turn: string }
	/** Withdraws a message that waits for an agent. */
	| { kind: 'message-withdraw'; turn: string }
	| { kind: 'reply-stop'; turn: string }
	| { kind: 'reply-retry'; turn: string }
	| { kind: 'reply-continue'; turn: string }
	/** Asks to show this version of a message. */
	| { kind: 'version-show'; turn: string }
	/** The button of a turn's explanation was pressed. Only the host knows its command. */
	| { kind: 'explanation-follow'; turn: string }
	/** The button beside the reason for a refusal was pressed. */
	| { kind: 'refusal-follow'; turn: string }
	/** The button of the connection's status was pressed. */
	| { kind: 'connection-follow' }
	/** The user wants to add a model server. Its model will answer that turn again or, without a turn, the draft. */
	| { kind: 'server-add'; turn?: string }
	/** The user has chosen the mode of messages. */
	| { kind: 'mode-choose'; mode: TurnMode }
	/** Requests the prompts of files that a message can begin with. */
	| { kind: 'prompts-request'; request: string }
	/** The user wants to open or write prompts of their own. */
	| { kind: 'prompts-edit' }
	| WorkFromPage
	| { kind: 'reply-image-request'; request: string; turn: string; file: string }
	/**
	 * Reloads the image, saves it, inserts it into the workspace with a reference at the cursor, or opens its address.
	 */
	| { kind: 'reply-image-reload' | 'reply-image-save' | 'reply-image-insert' | 'reply-image-open'; turn: string }
	/** Begins an encrypted conversation, or shows the attestation of the one that is shown. */
	| { kind: 'encryption-begin' }
	| { kind: 'attestation-show' }
	/** The draft of this encrypted conversation. The host holds it in memory and never writes it to disk. */
	| { kind: 'draft-hold'; conversation: string; text: string }
	/** Requests the models that the composer offers. */
	| { kind: 'models-request'; request: string }
	/** `conversation` is the one that the page shows, as in `message-send`. */
	| { kind: 'model-use'; conversation?: string; model: string }
	/** Opens the whole list of models, or the routing policies. */
	| { kind: 'model-choose' }
	| { kind: 'routing-choose' }
	/** Answers a request of the host. */
	| AnswerMessage
	/** Says whether the page has the keyboard focus. The editor's own `focusedView` does not cover webviews. */
	| { kind: 'focus-set'; focused: boolean }
	/** The page's own state as JSON, which the next page gets unchanged. */
	| { kind: 'state-keep'; state: string }
	| { kind: 'link-open'; url: string }
	| { kind: 'text-copy'; text: string }
	/** Code from this turn's reply, and what its fence says about it. */
	| { kind: 'code-use'; action: CodeAction; turn: string; code: string; language?: string; file?: string }
	/** Asks which of these names are files of the workspace. */
	| { kind: 'files-check'; request: string; names: string[] }
	| { kind: 'file-open'; name: string }
	| { kind: 'image-load'; request: string; url: string }
	/** Asks the host to let the user choose context to add. */
	| { kind: 'context-pick' }
	/** Asks the host to let the user choose what to shorten, so that the message fits. */
	| { kind: 'context-shorten' }
	| { kind: 'context-drop'; uris: string[] }
	/** A dropped or pasted file that has no address. */
	| { kind: 'context-text'; name: string; text: string }
	/** A dropped or pasted image that has no address, in base64. */
	| { kind: 'context-image'; name: string; data: string }
	/** Requests an image that is attached to a message or, without a turn, to the next one. */
	| { kind: 'preview-request'; request: string; file: string; turn?: string }
	| { kind: 'chip-remove'; chip: string }
	| { kind: 'chip-open'; chip: string }
	/** Opens the origin of an attachment of a message. */
	| { kind: 'attachment-open'; turn: string; index: number }
	/** Requests the possible completions of `#` or `@` followed by these characters. */
	| { kind: 'completion-request'; request: string; query: string }
	| { kind: 'completion-take'; item: string }
	| { kind: 'paste-check'; request: string; text: string }
	/**
	 * Turns the pasted text into a chip. Not sent if the answer came too late, because the text was then kept as text.
	 */
	| { kind: 'paste-take'; paste: string };

/** The requests of the page. Each method returns the value of the answer. */
export interface PageAnswers {
	/** The answer is empty, because the turns have been posted by then. */
	'page-ready'(): void;
	'snapshot-request'(): void;
	'earlier-request'(): void;
	/** Returns the image as a `data:` URL; undefined if it is gone. */
	'reply-image-request'(): string | undefined;
	/** Returns the output of a step; undefined if it is not stored. */
	'step-request'(): string | undefined;
	/** Returns a sentence that says why the answers are not sent; undefined if they are. */
	'step-fill'(): string | undefined;
	'models-request'(): ModelView[];
	/** Returns the names that are files of the workspace. */
	'files-check'(): string[];
	/** The answer is empty, because the draft is in the editor by then. */
	'task-prompt-open'(): void;
	'image-load'(): LoadedImage;
	/** Returns the attached image as a `data:` URL; undefined if it is gone. */
	'preview-request'(): string | undefined;
	'completion-request'(): CompletionItem[];
	'prompts-request'(): PromptView[];
	/** Returns the id of the pasted text, if it can become a chip. */
	'paste-check'(): string | undefined;
}

export type AnswerTo<K extends keyof PageAnswers> = ReturnType<PageAnswers[K]>;

/** The host's handlers of these messages. For a request, the handler returns the value of the answer. */
export type PageHandlers<K extends FromPage['kind']> = {
	[P in K]: (
		message: Extract<FromPage, { kind: P }>,
	) => P extends keyof PageAnswers ? AnswerTo<P> | Promise<AnswerTo<P>> : unknown;
};

/** The page, as the host's parts use it. */
export interface PageAccess {
	/** Posts a message without waiting. */
	post(message: ToPage): void;
	/** Says why something was not done: in the chat, or in a notification if the chat is not in view. */
	say(sentence: string): void;
	/** Puts the cursor into the composer once the page is there. Resolves when it is there, or the page is gone. */
	focusComposer(): Promise<void>;
	/** Puts a text into the composer, below the existing text, and the cursor behind it. */
	fill(text: string): void;
}

export type CodeAction = 'insert' | 'new-file' | 'apply';

/** `problem` is a sentence. */
export type LoadedImage = { dataUrl: string } | { problem: string };

export type TurnChange =
	| { kind: 'turn-set'; turn: TurnView }
	| { kind: 'text-append'; turn: string; text: string }
	| { kind: 'reasoning-append'; turn: string; text: string }
	| WorkChange;

export interface Snapshot {
	/** The id of the conversation. */
	conversation: string;
	/** The last turns. `earlier` is the number of turns before them. */
	turns: TurnView[];
	earlier: number;
	connection: ConnectionView;
	/** Absent for chat. */
	mode?: TurnMode;
	/** The agent that messages to an agent go to. */
	agent?: AgentView;
	settings?: SettingsView;
	/** Absent if the conversation is not encrypted. */
	encryption?: EncryptionView;
	notice?: string;
}

export interface AgentView {
	label: string;
	/** The setting for what the agent asks about in the next turn. */
	approvals: ApprovalSetting;
}

/** The state of an encrypted conversation that the page shows. */
export interface EncryptionView {
	/** The state of the channel, without a full stop. */
	label: string;
	/** Further details, each without a full stop. */
	details: string[];
	/** True while the channel is being opened. */
	isConnecting: boolean;
	/** True if the conversation has ended, or its channel could not be opened. */
	isRefused: boolean;
	/** True if the conversation is kept. If it is not, the page stores nothing of it either. */
	isKept: boolean;
	/** The sentences that are shown while there are no turns. */
	emptyText: string;
	/** The draft of the conversation when it was last shown. Only snapshots have it. */
	draft?: string;
}

export interface ConnectionView {
	label: string;
	model?: string;
	/** True if only the demo answers. */
	isDemo?: boolean;
	/** True if only one provider is known to serve its models. */
	hasOneProvider?: boolean;
	/** Says why chat cannot be used, as a sentence, with the label of the button that helps. */
	problem?: { message: string; action: string };
	/** Says why no encrypted conversation is possible, as a sentence. */
	noEncryption?: string;
	/** Say why modes cannot be used, as sentences. */
	refusedModes?: Partial<Record<TurnMode, string>>;
}

/** A model that the composer offers. */
export interface ModelView {
	/** The name that a request uses. */
	id: string;
	name: string;
	/** The known facts about it, in one line. */
	detail?: string;
	/** True if the next message goes to it. */
	isCurrent: boolean;
}

export interface TurnView {
	id: string;
	/** Milliseconds since the epoch. */
	askedAt: number;
	question: string;
	/** Absent in a chat. */
	mode?: Exclude<TurnMode, 'chat'>;
	/** The context of the message, in its order. */
	attachments?: AttachmentView[];
	reply: ReplyView;
	/** The versions of an edited message. This one is at `index`, counted from 1. `previous` and `next` are turn ids. */
	version?: { index: number; count: number; previous?: string; next?: string };
}

export interface AttachmentView {
	/** `instructions` stands for the instruction files, which are sent with every message. */
	kind: AttachmentKind | 'instructions';
	/** For example `auth.ts:40-72`. */
	label: string;
	/**
	 * The file's path or the page's address, if it has one. Instructions have the paths of all their files, one per line.
	 */
	path?: string;
	/** The length in UTF-16 code units, and an estimate of the tokens. */
	length: number;
	tokens: number;
	/** The file name of an image, its size in pixels and its size in bytes. */
	image?: { file: string; width: number; height: number; bytes: number };
	/** The number of code units that the user left out. */
	omitted?: number;
}

/** The context of the next message. */
export interface ContextView {
	chips: ChipView[];
	/** The use of the model's context by the message; absent until it is known. */
	use?: UseView;
	/** Says why not all of it can be sent, as a sentence. */
	warning?: string;
}

export interface ChipView extends AttachmentView {
	id: string;
	/** Set if the file's text has changed where the selection was. */
	isChanged?: true;
	/** Further notes on it, as sentences. */
	notes?: string[];
}

/** The icons of symbols, as the editor's own lists show them. */
export type SymbolIcon =
	`symbol-${'class' | 'interface' | 'enum' | 'method' | 'variable' | 'constant' | 'field' | 'namespace' | 'misc'}`;

export interface CompletionItem {
	id: string;
	kind: AttachmentView['kind'];
	/** The icon of a symbol. Other items have the icon of their kind. */
	icon?: SymbolIcon;
	label: string;
	description?: string;
}

/** A prompt from a file. */
export interface PromptView {
	/** The name to type after the slash. */
	name: string;
	/** The location of the file. */
	where: string;
	description?: string;
	/** A hint about the text to type after the name. */
	hint?: string;
	/** The mode of a message with the prompt; absent for the conversation's. */
	mode?: TurnMode;
	/** Set if it is a command of the agent, whose name is in `where`. */
	isOfAgent?: true;
	/** Says which parts of the file are ignored, in sentences. */
	notes?: string;
	/** The item for `completion-take` that adds the files named by the prompt, and their number. */
	files?: { item: string; count: number };
	/** Says why it cannot be used, as a sentence. */
	refusal?: string;
}

export interface ReplyView {
	state: 'streaming' | 'done' | 'stopped' | 'cutOff' | 'failed';
	text: string;
	/** True if the text is that of an earlier reply, which is shown until the current one has some. */
	earlier: boolean;
	reasoning?: string;
	model?: string;
	provider?: string;
	/** In milliseconds. */
	duration?: number;
	usage?: { prompt?: number; cached?: number; completion?: number; reasoning?: number };
	cost?: CostView;
	details?: DetailsView;
	/** True if a streaming reply has been silent for a while; `loading` if the server says that it loads the model. */
	waiting: boolean | 'loading';
	explanation?: { message: string; action?: { label: string; primary: boolean } };
	canRetry: boolean;
	/** True if the reply ended before the model was finished. */
	canContinue: boolean;
	/** The number of times the reply was continued. */
	continued: number;
	/** Set once the reply has ended. */
	citations?: Citations;
	/** The image of an image model's reply; absent until it is known. */
	image?: ReplyImageView;
	/** The work of an agent for the reply. */
	work?: WorkView;
}

/** `file` identifies the image in requests. Sizes are in pixels. */
export type ReplyImageView =
	| { file: string; width: number; height: number }
	| { problem: ImageProblem | 'not-loaded'; canReload: boolean };

/** The maximum length of a user's message, in UTF-16 code units. */
export const MAXIMUM_MESSAGE_LENGTH = 1_000_000;

/** The maximum length of pasted text whose source is looked up, and the maximum number of addresses in one drop. */
export const MAXIMUM_PASTE_LENGTH = 200_000;
export const MAXIMUM_DROP = 200;
export const MAXIMUM_FILE_TEXT = 1_000_000;
/** The maximum length of an image in base64. */
export const MAXIMUM_IMAGE_DATA = 7_000_000;

/** The maximum length of an address that a page is fetched from. */
export const MAXIMUM_WEB_ADDRESS = 2_000;

/** The maximum length of text to copy, and of an address to open. */
export const MAXIMUM_COPY_LENGTH = 16_000_000;
/** The maximum length of the page's own state. */
export const MAXIMUM_STATE_LENGTH = 8_000_000;
export const MAXIMUM_URL_LENGTH = 8_192;

/** The maximum number of file names in one request, and the maximum length of each and of a fence's info. */
export const MAXIMUM_NAMES = 64;
export const MAXIMUM_NAME_LENGTH = 400;

/** The data that the HTML contains for the page's script. */
export interface PageData {
	/** The page's own state as JSON, as it was last stored. */
	state?: string;
	/** Identifies the workspace. */
	place: string;
	/** Translations by their English texts; absent if the editor speaks English. */
	bundle?: Record<string, string>;
	language: string;
}
