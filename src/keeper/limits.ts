/** The transaction numbers of the service: ten digits, as `transId` has (Number(10)). */
export const FIRST_NUMBER = 1_000_000_000;
export const LAST_NUMBER = 9_999_999_999;
