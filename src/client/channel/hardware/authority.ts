/** The authority that vouches for GPUs and is the reference for all evidence. */
export interface HardwareAuthority {
	/** The SHA-256, in hexadecimal digits, of the root certificate of every device's chain. */
	rootFingerprint: string;
	/** The `iss` of its tokens. */
	issuer: string;
	/** The address of the keys of its tokens, a JSON Web Key Set. */
	keyAddress: string;
}

/** The GPU maker's values. No setting changes them. */
export const GPU_MAKER: Readonly<HardwareAuthority> = {
	rootFingerprint: '102bf659d5419614c9d8e6aecebc80454eb26b1df6a769ac720b9a690b167b48',
	issuer: 'https://nras.attestation.nvidia.com',
	keyAddress: 'https://nras.attestation.nvidia.com/.well-known/jwks.json',
};
