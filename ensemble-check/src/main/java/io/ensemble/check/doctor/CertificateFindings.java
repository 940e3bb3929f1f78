package io.ensemble.check.doctor;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Whether certificates and revocation lists end soon. */
public final class CertificateFindings {

  /** A certificate that ends sooner is reported. */
  public static final Duration SOON = Duration.ofDays(30);

  /** A revocation list that is to be replaced sooner is reported; lists live for days. */
  public static final Duration LIST_SOON = Duration.ofDays(1);

  static final String CHECK = "certificates";
  private static final String PAGE = "docs/operations.md#certificates";

  /**
   * A certificate, without its key.
   *
   * @param name the name of its subject
   */
  public record Certificate(String name, Instant notBefore, Instant notAfter) {}

  /**
   * A revocation list.
   *
   * @param nextUpdate when it is to be replaced; without that time no process accepts it
   */
  public record RevocationList(String issuer, Instant thisUpdate, @Nullable Instant nextUpdate) {}

  private CertificateFindings() {}

  /**
   * The findings about the certificates of one source; the one that ends first counts.
   *
   * @param subject the node that presented them, or the file
   * @param what what they are, such as {@code trust store}
   */
  public static Finding of(
      String subject, String what, List<Certificate> certificates, Instant now) {
    Certificate first =
        certificates.stream()
            .min((one, other) -> one.notAfter().compareTo(other.notAfter()))
            .orElse(null);
    if (first == null) {
      return Finding.warning(
          CHECK, subject, what + " without a certificate", "replace the file; see " + PAGE);
    }
    for (Certificate one : certificates) {
      if (one.notBefore().isAfter(now)) {
        return Finding.error(
            CHECK,
            subject,
            "%s: '%s' is valid from %s only".formatted(what, one.name(), day(one.notBefore())),
            "check the clock of this machine, or replace the certificate; see " + PAGE);
      }
    }
    String seen = "%s: '%s'".formatted(what, first.name());
    return ending(subject, seen, first.notAfter(), now, SOON, "replace the certificate");
  }

  /**
   * The finding about the complete revocation lists in a file. Of several lists of an issuer the
   * newest counts; then the one that is to be replaced first.
   */
  public static Finding ofLists(String subject, List<RevocationList> lists, Instant now) {
    Map<String, RevocationList> newest = new TreeMap<>();
    for (RevocationList list : lists) {
      newest.merge(
          list.issuer(),
          list,
          (one, other) -> other.thisUpdate().isAfter(one.thisUpdate()) ? other : one);
    }
    if (newest.isEmpty()) {
      return refusing(subject, "no complete revocation list");
    }
    Instant first = Instant.MAX;
    for (RevocationList list : newest.values()) {
      Instant next = list.nextUpdate();
      if (next == null) {
        return refusing(
            subject, "revocation list of '%s' without nextUpdate".formatted(list.issuer()));
      }
      first = next.isBefore(first) ? next : first;
    }
    return ending(subject, "revocation list", first, now, LIST_SOON, "replace the list");
  }

  private static Finding refusing(String subject, String what) {
    return Finding.error(
        CHECK,
        subject,
        what + ": every connection of a new process is refused",
        "replace the file by current lists; see " + PAGE);
  }

  /** The finding about a file or a node whose certificates cannot be read. */
  public static Finding unreadable(String subject, String why) {
    return Finding.error(CHECK, subject, why, "see " + PAGE);
  }

  /** The finding about a site in clear text. */
  public static Finding clearText(String site) {
    return Finding.ok(CHECK, site, "clear text: no certificate");
  }

  private static Finding ending(
      String subject, String seen, Instant end, Instant now, Duration soon, String remedy) {
    Duration left = Duration.between(now, end);
    String date = day(end);
    String how = remedy + "; see " + PAGE;
    if (left.isNegative()) {
      return Finding.error(CHECK, subject, "%s ended on %s".formatted(seen, date), how);
    }
    String ends = "%s ends on %s, in %s".formatted(seen, date, text(left));
    return left.compareTo(soon) < 0
        ? Finding.warning(CHECK, subject, ends, how)
        : Finding.ok(CHECK, subject, ends);
  }

  private static String text(Duration left) {
    return left.toDays() >= 2 ? left.toDays() + " days" : left.toHours() + " h";
  }

  private static String day(Instant time) {
    return time.truncatedTo(ChronoUnit.SECONDS).toString();
  }
}
