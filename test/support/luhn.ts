/** The digits, and the one that makes them pass (Luhn, ISO/IEC 7812-1). */
export function withCheckDigit(digits: string): string {
  const sum = [...`${digits}0`].toReversed().reduce((total, digit, index) => {
    const doubled = Number(digit) * (index % 2 === 0 ? 1 : 2);
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return `${digits}${(10 - (sum % 10)) % 10}`;
}
