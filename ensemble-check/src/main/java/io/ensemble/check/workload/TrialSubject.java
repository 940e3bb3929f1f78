package io.ensemble.check.workload;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import io.ensemble.objects.AtomicObjectFactory;
import java.util.Arrays;
import java.util.stream.Stream;

/** The subject of a trial: objects of one kind, each identified by a name. */
public sealed interface TrialSubject permits ObjectKind, RegisterKind, VersionedKind {

  /** The word that identifies the kind. */
  @JsonValue
  String word();

  /** The subject with that word. */
  @JsonCreator
  static TrialSubject of(String word) {
    return Stream.<TrialSubject>concat(objects(), VersionedKind.all())
        .filter(one -> one.word().equals(word))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("unknown subject of a trial: " + word));
  }

  /** The kinds of objects: atomic objects, and objects from registers. */
  static Stream<TrialSubject> objects() {
    return Stream.concat(Arrays.stream(ObjectKind.values()), Arrays.stream(RegisterKind.values()));
  }

  /** Prepares to open atomic objects in a process. */
  OpenObjects on(AtomicObjectFactory factory);

  /** The atomic object on which the object of that name depends most. */
  default String root(String name) {
    return name;
  }
}
