package io.ensemble.objects.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.objects.machine.UnreadableException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A proxy of another atomic object travels as the object's name. */
class ReferenceResolverTest {

  private final List<Class<?>> declared = new ArrayList<>();
  private final ValueCodec valueCodec =
      ValueCodec.of(
          Set.of(Room.class, Entry.class),
          new ReferenceResolver() {
            @Override
            public Optional<ObjectReference> of(Object value) {
              return value instanceof Proxy proxy
                  ? Optional.of(new ObjectReference(proxy.name, "door"))
                  : Optional.empty();
            }

            @Override
            public Object open(ObjectReference reference, Class<?> type) {
              declared.add(type);
              return new Proxy(reference.name() + " of " + reference.type());
            }
          });

  @Test
  void aProxyIsWrittenAsItsReferenceAndOpenedForItsField() {
    Room room = new Room();
    room.door = new Proxy("front");
    room.doors = List.of(new Proxy("back"));
    room.array = new Object[] {new Proxy("side")};
    room.entry = new Entry(new Proxy("main"));

    Room read = (Room) valueCodec.read(valueCodec.write(room));

    assertThat(read.door.name()).isEqualTo("front of door");
    assertThat(read.doors.get(0).name()).isEqualTo("back of door");
    assertThat(read.entry.door().name()).isEqualTo("main of door");
    assertThat(declared).containsExactly(Door.class, Object.class, Object.class, Door.class);
  }

  @Test
  void withoutReferencesAProxyIsNeitherWrittenNorOpened() {
    byte[] bytes = valueCodec.write(new Proxy("front"));
    ValueCodec none = ValueCodec.of(Set.of(), ReferenceResolver.NONE);

    assertThatThrownBy(() -> none.write(new Proxy("front")))
        .isInstanceOf(NotWritableException.class);
    assertThatThrownBy(() -> none.read(bytes))
        .isInstanceOf(UnreadableException.class)
        .hasMessageContaining("front");
  }

  interface Door {
    String name();
  }

  /** Not among the classes of the object, like every proxy. */
  static final class Proxy implements Door {
    final String name;

    Proxy(String name) {
      this.name = name;
    }

    @Override
    public String name() {
      return name;
    }
  }

  static final class Room {
    Door door;
    List<Door> doors;
    Object[] array;
    Entry entry;
  }

  record Entry(Door door) {}
}
