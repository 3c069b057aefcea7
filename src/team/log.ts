import { type DestinationStream, destination, pino, stdTimeFunctions } from 'pino';
import type { Logger } from '../base/logger.ts';
import { allowedFields } from '../base/redact.ts';

const STANDARD_ERROR = 2;

/** Returns a function that creates the logger of a topic. Each line is an object of JSON, with the allowed fields alone. */
export function createLoggers(
	output: DestinationStream = destination({ fd: STANDARD_ERROR, sync: true }),
): (topic: string) => Logger {
	const root = pino(
		{ base: null, timestamp: stdTimeFunctions.isoTime, formatters: { level: level => ({ level }) } },
		output,
	);
	return topic => {
		const lines = root.child({ topic });
		return { log: (level, message, fields = {}) => lines[level](allowedFields(fields), message) };
	};
}
