/**
 * Changes of the federation as server-sent events. A {@link
 * io.ensemble.rest.events.FederationSnapshot} is the observable state at one moment, by sections.
 * The {@link io.ensemble.rest.events.EventStream} takes snapshots periodically while there is a
 * subscriber, and sends the differences. A client that applies them to its first snapshot has the
 * present one.
 */
@NullMarked
package io.ensemble.rest.events;

import org.jspecify.annotations.NullMarked;
