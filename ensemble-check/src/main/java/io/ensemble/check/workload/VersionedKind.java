package io.ensemble.check.workload;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.versioning.IndexType;
import java.util.Arrays;
import java.util.Base64;
import java.util.Locale;
import java.util.stream.Stream;

/** Keys of a versioned cache with that index. */
public record VersionedKind(IndexType index) implements TrialSubject {

  static Stream<VersionedKind> all() {
    return Arrays.stream(IndexType.values()).map(VersionedKind::new);
  }

  @Override
  public String word() {
    return "versioned-" + index.name().toLowerCase(Locale.ROOT);
  }

  @Override
  public OpenObjects on(AtomicObjectFactory factory) {
    return new VersionedKeys(factory, index);
  }

  @Override
  public String root(String name) {
    return VersionedKeys.HISTORIES
        + Base64.getUrlEncoder().withoutPadding().encodeToString(name.getBytes(UTF_8));
  }
}
