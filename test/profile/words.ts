/** What the user of the profile has typed. The program that fills it and the tests that look for it share these. */
export const words = {
	question: 'What does a widget cost?',
	edited: 'What do ten widgets cost?',
	next: 'And what if there are more?',
	title: 'Prices of widgets',
	acme: 'Does Acme answer?',
	moved: 'Does it answer where it was?',
	image: 'a lighthouse in the fog',
	agent: 'Make ten widgets cheaper, and announce it',
	task: 'Keep the stock from going below zero',
	failed: 'Try what cannot work /demo fail',
	archived: 'Count the files once more',
	stopped: 'Begin what is stopped halfway /demo slow',
	interrupted: 'Begin what a crash interrupts /demo slow',
	running: 'Begin what nobody sees the end of /demo slow',
	prompt: 'Write down what every file is for',
	comment: 'Say where the number is shown',
	followUp: 'Now do the same for orders',
	draft: 'A question that is not sent yet',
	/** Made up. */
	keys: { workshop: 'made-up-key-of-the-workshop', acme: 'sk-made-up-key-of-acme', moved: 'sk-made-up-key-of-moved' },
};
