package io.ensemble.check.doctor;

import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of one check of one subject.
 *
 * @param check the kind of check, such as {@code certificates}
 * @param subject the site, node, cache or file
 * @param seen what was seen
 * @param remedy a command or a page; null where nothing is to be done
 */
public record Finding(
    String check, String subject, FindingSeverity severity, String seen, @Nullable String remedy) {

  /** The worst first, then by check and subject. */
  public static final Comparator<Finding> WORST_FIRST =
      Comparator.comparing(Finding::severity)
          .reversed()
          .thenComparing(Finding::check)
          .thenComparing(Finding::subject)
          .thenComparing(Finding::seen);

  public Finding {
    if ((severity == FindingSeverity.OK) != (remedy == null)) {
      throw new IllegalArgumentException(
          "a finding must have a remedy, and a subject in order must have none; check=%s subject=%s"
              .formatted(check, subject));
    }
  }

  public static Finding ok(String check, String subject, String seen) {
    return new Finding(check, subject, FindingSeverity.OK, seen, null);
  }

  public static Finding notChecked(String check, String subject, String why, String remedy) {
    return new Finding(check, subject, FindingSeverity.NOT_CHECKED, why, remedy);
  }

  public static Finding warning(String check, String subject, String seen, String remedy) {
    return new Finding(check, subject, FindingSeverity.WARNING, seen, remedy);
  }

  public static Finding error(String check, String subject, String seen, String remedy) {
    return new Finding(check, subject, FindingSeverity.ERROR, seen, remedy);
  }

  /** Whether any finding is an error. */
  public static boolean hasError(List<Finding> findings) {
    return findings.stream().anyMatch(one -> one.severity() == FindingSeverity.ERROR);
  }
}
