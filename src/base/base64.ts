/**
 * The bytes of base64 as RFC 4648 writes it: the standard alphabet, padded, no blanks, unused bits zero. Undefined for
 * anything else, so that bytes have one spelling only.
 */
export function decodeBase64(text: string): Uint8Array | undefined {
	const bytes = Buffer.from(text, 'base64');
	return bytes.toString('base64') === text ? bytes : undefined;
}
