package io.ensemble.cli.keys;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.output.ReportOptions;
import io.ensemble.keyset.Keyset;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A keyset as commands report it.
 *
 * @param keys the ids of its keys for values, the oldest first
 * @param primary the id of the key that encrypts new values
 * @param names the id of its key for names; null if it has none
 */
record KeysReport(
    String file,
    List<String> keys,
    String primary,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String names) {

  static KeysReport of(Object file, Keyset keyset) {
    return new KeysReport(
        file.toString(),
        keyset.keys().stream().map(Keyset.Key::name).toList(),
        Integer.toUnsignedString(keyset.primaryId()),
        keyset.namesId().map(Integer::toUnsignedString).orElse(null));
  }

  int report(ReportOptions reportOptions, String done) {
    reportOptions.report(
        this,
        out -> {
          out.printf("%s: %s%n", done, file);
          for (String key : keys) {
            out.printf("key %s%s%n", key, key.equals(primary) ? ", encrypts" : "");
          }
          if (names != null) {
            out.printf("key %s, for names%n", names);
          }
        });
    return ExitCode.OK;
  }
}
