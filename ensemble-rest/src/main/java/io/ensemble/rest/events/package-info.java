/**
 * What changes, as server-sent events. A {@link io.ensemble.rest.events.FederationSnapshot} is all
 * that can be seen at one moment, by sections; the {@link io.ensemble.rest.events.EventStream}
 * looks again and again while somebody listens, and tells what is different, so that whoever
 * applies what they are told to the snapshot that they were given has the present one.
 */
@NullMarked
package io.ensemble.rest.events;

import org.jspecify.annotations.NullMarked;
