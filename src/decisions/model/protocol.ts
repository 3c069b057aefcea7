// The messages between the page of a decision and the host. All texts are made by the host.

export interface RowView {
	name: string;
	meaning: string;
	/** 0 to 1, for the bar; undefined where the service gave no probability. */
	share?: number;
	/** The same as a number in words. */
	probability: string;
	isChosen: boolean;
	/** The word that marks the chosen row; empty in the others. */
	mark: string;
	/** The probability in the other run. */
	compared?: string;
	/** The index of the log entry that the row stands for. */
	entry?: number;
}

export interface QuestionView {
	id: string;
	/** What kind of question it is, in words. */
	type: string;
	instructions: string;
	/** The answer in words. */
	answer: string;
	/** The answer of the other run in words. */
	comparedAnswer?: string;
	isUncertain: boolean;
	notes: string[];
	rows: RowView[];
	/** What came in place of an answer. */
	received?: string;
}

export interface SendingView {
	/** What is sent where, and what it will cost: labels with their texts. */
	facts: { label: string; text: string }[];
	/** The parts of the state with their sizes. */
	parts: { name: string; label: string; size: string }[];
	/** What the user should see before sending. */
	warnings: string[];
}

export interface RunChoice {
	id: string;
	label: string;
}

export interface ResultView {
	/** What has to be known about all answers. */
	notes: string[];
	facts: { label: string; text: string }[];
	questions: QuestionView[];
	/** Sentences that explain bars, words and kinds of questions. */
	legend: string[];
	run: string;
	comparedWith: string;
}

export interface DecisionView {
	title: string;
	stage: 'preparing' | 'ready' | 'asking' | 'idle';
	/** What the page is about now. */
	sentence: string;
	tone: 'open' | 'bad' | 'pending';
	/** The label of the button that helps with a problem. */
	help?: string;
	/** Says that answers are a model's opinion. */
	opinion: string;
	/** Absent while nothing is prepared or no model is chosen. */
	sending?: SendingView;
	result?: ResultView;
	runs: RunChoice[];
	/** How many runs are kept, as a sentence. */
	kept: string;
}

export type FromDecisionPage =
	| { kind: 'page-ready' }
	| { kind: 'prepare' }
	| { kind: 'send' }
	| { kind: 'stop' }
	| { kind: 'show-request' }
	| { kind: 'choose-model' }
	| { kind: 'help' }
	| { kind: 'export'; format: 'json' | 'markdown' }
	| { kind: 'show-run'; run: string }
	| { kind: 'compare-with'; run: string }
	| { kind: 'show-entry'; entry: number };
