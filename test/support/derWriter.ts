// Writes DER for tests, independently of src/crypto.

export function der(tag: number, ...parts: Uint8Array[]): Buffer {
	const content = Buffer.concat(parts);
	const { length } = content;
	const head =
		length < 0x80 ? [tag, length] : length < 0x100 ? [tag, 0x81, length] : [tag, 0x82, length >> 8, length & 0xff];
	return Buffer.concat([Buffer.from(head), content]);
}

export const sequence = (...parts: Uint8Array[]): Buffer => der(0x30, ...parts);
export const bitString = (bytes: Uint8Array): Buffer => der(0x03, Buffer.of(0), bytes);
export const octetString = (...parts: Uint8Array[]): Buffer => der(0x04, ...parts);
export const integer = (value: number): Buffer => der(0x02, Buffer.of(value));
export const yes = (): Buffer => der(0x01, Buffer.of(0xff));
/** Encodes an object identifier from its content in hexadecimal digits. */
export const identifier = (digits: string): Buffer => der(0x06, Buffer.from(digits, 'hex'));
/** The attributes of a name, each with its identifier and the tag of its text (UTF8String or PrintableString). */
const ATTRIBUTES = {
	commonName: ['550403', 0x0c],
	serialNumber: ['550405', 0x13],
	country: ['550406', 0x13],
	organization: ['55040a', 0x0c],
} as const;

export const distinguishedName = (...parts: [attribute: keyof typeof ATTRIBUTES, text: string][]): Buffer =>
	sequence(
		...parts.map(([attribute, text]) => {
			const [digits, tag] = ATTRIBUTES[attribute];
			return der(0x31, sequence(identifier(digits), der(tag, Buffer.from(text))));
		}),
	);

/** Encodes a time such as 20200101000000Z. */
export const generalizedTime = (text: string): Buffer => der(0x18, Buffer.from(text));
