/**
 * The main entry of an object, its <b>root</b>, as a value: the calls whose results it contains,
 * the location of the state, and the combiner. Beside it are stored mailboxes, each written by one
 * session, and snapshots, each written once. Pure: no store, thread or clock.
 */
@NullMarked
package io.ensemble.objects.record;

import org.jspecify.annotations.NullMarked;
