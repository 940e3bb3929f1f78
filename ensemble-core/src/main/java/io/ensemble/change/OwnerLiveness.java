package io.ensemble.change;

/**
 * What moves in a record while the owner of a change lives, of whatever kind the change is.
 *
 * @param step how far it has come
 * @param beat the number of the owner's last beat
 */
public record OwnerLiveness(String owner, long turn, String step, long beat) {

  /** The owner of a change whose last one has given its turn up. */
  public static final String NOBODY = "nobody";

  /** Whether whoever comes first may take it over. */
  public boolean isNobodys() {
    return owner.equals(NOBODY);
  }
}
