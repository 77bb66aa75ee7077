//! Published experiments, made again as captures: their printed figures have to come out.

mod nt;
mod wells;
