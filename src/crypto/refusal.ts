/** What was given is not what it has to be. The message says in which way, and quotes nothing of it. */
export class CryptoRefusal extends Error {
	override readonly name = 'CryptoRefusal';
}
