# config for 8 x GPU (CUDA) training, see tools/train.py
_base_ = ['./_base_/default_runtime.py']
crop_size = (512, 1024)
norm_cfg = dict(type='SyncBN', requires_grad=True)  #= shim
model = dict(
    type='EncoderDecoder',
    backbone=dict(
        type='ResNetV1c',
        depth=50,
        num_stages=4,
        norm_cfg=norm_cfg,
        norm_eval=False),
    decode_head=dict(
        type='UPerHead',
        num_classes=19,
        norm_cfg=dict(type='BN', requires_grad=True),
        loss_decode=dict(type='CrossEntropyLoss', use_sigmoid=False)))
train_dataloader = dict(
    batch_size=2,
    num_workers=4,
    pin_memory=True,
    sampler=dict(type='InfiniteSampler', shuffle=True))
optim_wrapper = dict(
    type='AmpOptimWrapper',  #= shim
    loss_scale='dynamic',
    optimizer=dict(type='SGD', lr=0.01, momentum=0.9))
env_cfg = dict(
    cudnn_benchmark=True,  #= change
    mp_cfg=dict(mp_start_method='fork', opencv_num_threads=0),
    dist_cfg=dict(backend='nccl'),  #= change
)
file_client_args = dict(backend='disk')
vis_backends = [dict(type='LocalVisBackend')]
visualizer = dict(type='SegLocalVisualizer', vis_backends=vis_backends)
model_wrapper_cfg = dict(type='MMDistributedDataParallel', find_unused_parameters=True)  #= shim
launcher = 'none'
log_level = 'INFO'
