/**
 * The one entry in which an object lives, its <b>root</b>, as a value: which calls it holds the
 * results of, where its state is, who combines. What is stored beside it are mailboxes, each
 * written by one session, and snapshots, each written once. Pure: no store, thread or clock.
 */
@NullMarked
package io.ensemble.objects.record;

import org.jspecify.annotations.NullMarked;
