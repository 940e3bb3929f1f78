package io.ensemble.objects.protocol;

/** A call as its session saw it. */
final class ObservedCall {
  final String word;

  /** How many calls had ended when this call was made. */
  final int ended;

  String outcome = "";
  boolean known;
  boolean refused;

  ObservedCall(String word, int ended) {
    this.word = word;
    this.ended = ended;
  }
}
