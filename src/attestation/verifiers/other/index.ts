export {
  judgeOtherHello,
  judgeOtherProof,
  judgeOtherSingle,
  OTHER_HELLO_RULES,
  OTHER_PROOF_RULES,
  OTHER_SINGLE_RULES,
} from "./judge.ts";
