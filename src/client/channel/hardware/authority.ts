/** Who vouches for GPUs: what evidence is held against. */
export interface HardwareAuthority {
	/** SHA-256 of the certificate at which every device's chain ends, in hexadecimal digits. */
	rootFingerprint: string;
	/** The issuer of tokens. */
	issuer: string;
	/** Where the keys of its tokens are, as a JSON Web Key Set. */
	keyAddress: string;
}

/** The GPU maker's. No setting changes them. */
export const GPU_MAKER: Readonly<HardwareAuthority> = {
	rootFingerprint: '102bf659d5419614c9d8e6aecebc80454eb26b1df6a769ac720b9a690b167b48',
	issuer: 'https://nras.attestation.nvidia.com',
	keyAddress: 'https://nras.attestation.nvidia.com/.well-known/jwks.json',
};
