package io.ensemble.check.workload;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import io.ensemble.objects.AtomicObjectFactory;
import java.util.Arrays;
import java.util.stream.Stream;

/** What is tried: objects of one kind, each known by a name. */
public sealed interface TrialSubject permits ObjectKind, VersionedKind {

  /** As it is told from the others. */
  @JsonValue
  String word();

  /** What has that word. */
  @JsonCreator
  static TrialSubject of(String word) {
    return Stream.<TrialSubject>concat(Arrays.stream(ObjectKind.values()), VersionedKind.all())
        .filter(one -> one.word().equals(word))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("nothing that is tried: " + word));
  }

  /** Gets ready to open objects of a process. */
  OpenObjects on(AtomicObjectFactory factory);

  /** The atomic object that one of that name depends on most. */
  default String root(String name) {
    return name;
  }
}
