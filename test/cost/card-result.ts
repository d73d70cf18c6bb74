/** What a terminal reports of a payment by card: everything that a result may have. */
export const CARD_RESULT = {
  transData: {
    paymentChannel: "VISA",
    transDateTime: "2026-11-20T18:15:42",
    cardNo: "4111111111111111",
    invNo: "000123",
    batchNo: "000017",
    tid: "10421001",
    mid: "000012345678901",
    entryMode: "Contactless",
    rrn: "632718451203",
    apprCode: "A8F231",
    tvr: "0000008000",
    appCrypt: "1F8B4C7729AA03D1",
    aid: "A0000000031010",
    cvmType: "00",
    cardLabel: "VISA DEBIT",
    cardHoldersName: "LIM MEI LING",
  },
};

/** The same from a terminal that masks the card number itself, as nearly all do. */
export const MASKED_RESULT = { transData: { ...CARD_RESULT.transData, cardNo: "xxxxxxxxxxxx1111" } };
