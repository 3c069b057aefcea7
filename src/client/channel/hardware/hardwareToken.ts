import * as z from 'zod';
import { type Fields, isFields } from '../../../base/fields.ts';
import { parseJson } from '../../../base/json.ts';

/** The tokens of a `gpu_eat`: the maker's overall answer, and one for each device by its name. */
export interface HardwareTokens {
	overall: string;
	/** The tokens of the devices by name. Undefined for a token that came alone. */
	devices: ReadonlyMap<string, string> | undefined;
}

const MAXIMUM_DEVICES = 64;
const jwt = z.string().max(256 * 1024);
const detached = z.tuple([
	z.tuple([z.literal('JWT'), jwt]),
	z.record(z.string().max(64), jwt).refine(tokens => Object.keys(tokens).length <= MAXIMUM_DEVICES),
]);

/** Reads a JWT, or the detached form `[["JWT", token], { name: token, … }]`, as a value or as its JSON text. */
export function readHardwareTokens(value: unknown): HardwareTokens | undefined {
	const parsed = typeof value === 'string' && value.trimStart().startsWith('[') ? parseJson(value) : value;
	const alone = jwt.safeParse(parsed).data;
	if (alone !== undefined) {
		return { overall: alone, devices: undefined };
	}
	const [overall, devices] = detached.safeParse(parsed).data ?? [];
	return overall && devices && { overall: overall[1], devices: new Map(Object.entries(devices)) };
}

/** Returns the claims of a JWT without verifying its signature, or undefined for a text that is not a JWT. */
export function unprovenClaims(jwt: string): Fields | undefined {
	const claims = parseJson(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString());
	return isFields(claims) ? claims : undefined;
}
