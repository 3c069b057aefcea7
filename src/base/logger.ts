import { type LogFields, redactFields } from './redact.ts';

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error';

/**
 * The diagnostic log. `message` is a fixed text of the code; everything that varies goes into `fields`, which pass an
 * allow-list before they reach a sink: a log never holds a key, a prompt, a reply or file content.
 */
export interface Logger {
	log(level: LogLevel, message: string, fields?: LogFields): void;
}

export type LogSink = (level: LogLevel, line: string) => void;

export const nullLogger: Logger = { log() {} };

/** Creates a logger for one topic (`client`, `tasks`), which writes `[topic] message key=value …` to the sink. */
export function createLogger(topic: string, sink: LogSink): Logger {
	return {
		log(level, message, fields) {
			sink(level, `[${topic}] ${message}${fields ? redactFields(fields) : ''}`);
		},
	};
}
