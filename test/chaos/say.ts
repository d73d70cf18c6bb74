/** Tells the person who started the run something. */
export type Say = (sentence: string) => void;
